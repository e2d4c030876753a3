#include "isa/assembly/bind/tiles.h"

#include <algorithm>

namespace ptosim::assembly {

// addr = %a valid_row = %r valid_col = %c : type. Also of a tile with several slots.
void TileBinder::alloc_tile(const Operation& op) {
    check_words(op, {"addr", "valid_row", "valid_col"}, {});
    const Type& type = result_type(op);
    const bool multi = op.name == "pto.alloc_multi_tile";
    if (type.kind != (multi ? TypeKind::kMultiTile : TypeKind::kTile))
        fail(op, "K07",
             "'" + std::string(op.name) + "' makes a " +
                 (multi ? "!pto.multi_tile_buf<...>" : "!pto.tile_buf<...>") + ", not '" +
                 std::string(type.text) + "'");
    Tile tile = tile_of(type, op);
    const Clause* address = op.clause("addr");
    const Clause* valid_row = op.clause("valid_row");
    const Clause* valid_col = op.clause("valid_col");
    // A '?' that nothing fills in yet is the whole extent, until pto.set_validshape.
    if (tile.valid_rows < 0) tile.valid_rows = tile.rows;
    if (tile.valid_cols < 0) tile.valid_cols = tile.cols;
    Slot rows = valid_row == nullptr ? kNoSlot : integer(only_item(op, *valid_row));
    Slot cols = valid_col == nullptr ? kNoSlot : integer(only_item(op, *valid_col));
    const auto fold = [&](Slot& slot, int32_t& field) {
        if (!is_constant(slot)) return;
        const auto given = static_cast<int64_t>(constant_value(slot));
        if (given < 0 || given > INT32_MAX) return;
        field = static_cast<int32_t>(given);
        slot = kNoSlot;
    };
    fold(rows, tile.valid_rows);
    fold(cols, tile.valid_cols);

    listener().on_tile(op, type, tile);
    TilePlacement home;
    home.operation = &op;
    home.step = here();
    home.planned = address == nullptr;
    home.where = op.location;
    const uint64_t slot_bytes =
        (tile.byte_size() + kTileAlignment - 1) / kTileAlignment * kTileAlignment;
    home.bytes = multi ? slot_bytes * type.count : tile.byte_size();
    Slot address_slot = address == nullptr ? kNoSlot : integer(only_item(op, *address));
    if (is_constant(address_slot) && constant_value(address_slot) <= UINT32_MAX) {
        tile.address = static_cast<uint32_t>(constant_value(address_slot));
        address_slot = kNoSlot;
    }
    if (address_slot == kNoSlot) context_.placements.push_back(home);

    Value value;
    value.kind = make_kind(type);
    value.type = &type;
    value.slot = new_tile();
    value.count = type.count;
    Step& step = emit(StepCode::kTile, op);
    step.r = value.slot;
    step.a = address_slot;
    step.b = rows;
    step.c = cols;
    step.index = added(program_.tiles, tile);
    define(op, 0, value);
}

// A tile without an address: pto.tassign gives it one. Until then its address is outside of every
// memory, so that a use of it is found.
void TileBinder::declare_tile(const Operation& op) {
    const Type& type = result_type(op);
    if (type.kind != TypeKind::kTile)
        fail(op, "K07", "the type of 'pto.declare_tile' must be a tile (!pto.tile_buf<...>)");
    Tile tile = tile_of(type, op);
    if (tile.valid_rows < 0) tile.valid_rows = tile.rows;
    if (tile.valid_cols < 0) tile.valid_cols = tile.cols;
    tile.address = UINT32_MAX / kTileAlignment * kTileAlignment;
    Value value = Value::of(ValueKind::kTile, type, new_tile());
    Step& step = emit(StepCode::kTile, op);
    step.r = value.slot;
    step.index = added(program_.tiles, tile);
    define(op, 0, value);
}

// subview %t[%i, %j] sizes [r, c] [valid [%vr, %vc]] : T [-> T']; older: subset. Before
// partition_view had its name, it was a subview of a tensor view.
void TileBinder::tile_window(const Operation& op) {
    if (value(operand(op, 0)).kind == ValueKind::kView) return memory_.partition_view(op);
    check_words(op, {"offsets", "sizes", "valid", "strides"}, {});
    const Value source = value_of_kind(operand(op, 0), ValueKind::kTile);
    const Clause* offsets = op.clause("[");
    if (offsets == nullptr) offsets = &clause(op, "offsets");
    const Clause& sizes = clause(op, "sizes");
    const Clause* valid = op.clause("valid");
    if (offsets->items.size() != 2 || sizes.items.size() != 2 ||
        (valid != nullptr && valid->items.size() != 2))
        fail(op, "K06", "a window of a tile has two offsets and two sizes");

    WindowPlan plan;
    plan.tile = tile_of(*source.type, op);
    plan.row = integer(offsets->items[0]);
    plan.col = integer(offsets->items[1]);
    int32_t* const extents[] = {&plan.tile.rows, &plan.tile.cols};
    for (int i = 0; i < 2; ++i) {
        const Slot size = integer(sizes.items[i]);
        if (!is_constant(size)) fail(op, "K07", "the sizes of a window must be constant");
        const auto given = static_cast<int64_t>(constant_value(size));
        const int64_t parent = i == 0 ? source.type->tile.rows : source.type->tile.cols;
        if (given < 1 || given > parent)
            fail(sizes.items[i].location, "K07",
                 "a window of " + std::to_string(given) + " does not fit into " +
                     std::to_string(parent) + (i == 0 ? " rows" : " columns"));
        *extents[i] = static_cast<int32_t>(given);
    }
    plan.tile.valid_rows = plan.tile.rows;
    plan.tile.valid_cols = plan.tile.cols;
    const Type* type = op.result_types.empty() ? nullptr : op.result_types[0];
    if (type != nullptr) {
        if (type->kind != TypeKind::kTile || type->tile.rows != plan.tile.rows ||
            type->tile.cols != plan.tile.cols || type->dtype != source.type->dtype)
            fail(op, "K07",
                 "the result type '" + std::string(type->text) + "' is not a window of " +
                     std::to_string(plan.tile.rows) + "x" + std::to_string(plan.tile.cols));
        if (type->tile.valid_rows >= 0) plan.tile.valid_rows = type->tile.valid_rows;
        if (type->tile.valid_cols >= 0) plan.tile.valid_cols = type->tile.valid_cols;
    }
    if (valid != nullptr) {
        plan.valid_rows = integer(valid->items[0]);
        plan.valid_cols = integer(valid->items[1]);
    }
    if (type != nullptr) listener().on_window(op, *type, plan);
    Value result = source;
    if (type != nullptr)
        result.type = type;
    else
        result.type = window_type(*source.type, plan.tile);
    result.slot = new_tile();
    Step& step = emit(StepCode::kSubview, op);
    step.r = result.slot;
    step.a = source.slot;
    step.index = added(program_.windows, plan);
    step.work = 1;
    define(op, 0, result);
}

// The type of a window whose text gives none.
const Type* TileBinder::window_type(const Type& source, const Tile& tile) {
    Type type = source;
    type.tile.rows = type.tile.valid_rows = tile.rows;
    type.tile.cols = type.tile.valid_cols = tile.cols;
    set_dense_pitch(type.tile);
    return keep(type);
}

// treshape, bitcast: the same bytes as another tile.
void TileBinder::retype_tile(const Operation& op) {
    const Value source = value_of_kind(operand(op, 0), ValueKind::kTile);
    const Type& type = result_type(op);
    if (type.kind != TypeKind::kTile)
        fail(op, "K07",
             "'" + std::string(op.name) + "' makes a tile, not '" + std::string(type.text) + "'");
    const Tile tile = tile_of(type, op);
    const Tile from = tile_of(*source.type, op);
    if (tile.space != from.space)
        fail(op, "K07",
             "'" + std::string(op.name) + "' does not move a tile from " +
                 std::string(name(from.space)) + " to " + std::string(name(tile.space)));
    const size_t wanted = bytes(tile.dtype, static_cast<size_t>(tile.rows) * tile.cols);
    const size_t held = bytes(from.dtype, static_cast<size_t>(from.rows) * from.cols);
    if (wanted > held)
        fail(op, "K07",
             "the result has " + std::to_string(wanted) + " bytes, the source only " +
                 std::to_string(held));
    listener().on_retype(op, wanted, held);
    Value result = Value::of(ValueKind::kTile, type, new_tile());
    Step& step = emit(StepCode::kRetype, op);
    step.r = result.slot;
    step.a = source.slot;
    step.index = added(program_.tiles, tile);
    define(op, 0, result);
}

// %u = pto.tassign %t, %address : T -> T; without a result the tile itself moves.
void TileBinder::assign_tile(const Operation& op) {
    const Value source = value_of_kind(operand(op, 0), ValueKind::kTile);
    const Slot address = integer(operand(op, 1));
    check_alignment(op, address);
    Value result = source;
    if (!op.results.empty()) result.slot = new_tile();
    Step& step = emit(StepCode::kTileAt, op);
    step.r = result.slot;
    step.a = source.slot;
    step.b = address;
    step.work = 1;
    if (!op.results.empty()) define(op, 0, result);
}

// pto.tget_scale_addr ins(%factor) outs(%scales): the scales of a factor in L0A or L0B are at a sixteenth of its
// address (hw-native-sys/pto-isa include/pto/npu/a5/utils.hpp).
void TileBinder::scale_address(const Operation& op) {
    const Clause& inputs = clause(op, "ins");
    const Clause& outputs = clause(op, "outs");
    if (inputs.items.size() != 1 || outputs.items.size() != 1)
        fail(op, "K06", "'pto.tget_scale_addr' takes ins(tile) outs(tile)");
    const Value factor = value_of_kind(inputs.items[0], ValueKind::kTile);
    const Value scales = value_of_kind(outputs.items[0], ValueKind::kTile);
    const Space space = tile_of(*scales.type, op).space;
    if (space != Space::kScaleA && space != Space::kScaleB && space != Space::kFixpipe)
        fail(outputs.items[0].location, "L01",
             "the scales of 'pto.tget_scale_addr' must lie in scaling, not in " +
                 std::string(name(space)));
    constexpr uint32_t kShift = 4;
    Step& step = emit(StepCode::kTileScales, op);
    step.r = step.a = scales.slot;
    step.b = factor.slot;
    step.index = kShift;
    step.work = 1;
}

void TileBinder::multi_tile_get(const Operation& op) {
    const Value source = value_of_kind(operand(op, 0), ValueKind::kMultiTile);
    const Clause& index = clause(op, "[");
    if (index.items.size() != 1) fail(op, "K06", "'pto.multi_tile_get' takes one slot number");
    const Type& type = result_type(op);
    if (type.kind != TypeKind::kTile)
        fail(op, "K07", "the result of 'pto.multi_tile_get' must be a tile (!pto.tile_buf<...>)");
    const Slot slot = integer(index.items[0]);
    if (is_constant(slot) && constant_value(slot) >= source.count)
        fail(index.items[0].location, "A10",
             "slot " + std::to_string(constant_value(slot)) + " is out of range: the tile has " +
                 std::to_string(source.count) + " slots, counted from 0");
    Value result = Value::of(ValueKind::kTile, type, new_tile());
    Step& step = emit(StepCode::kTileSlot, op);
    step.r = result.slot;
    step.a = source.slot;
    step.b = slot;
    step.index = source.count;
    step.work = 1;
    define(op, 0, result);
}

void TileBinder::set_valid(const Operation& op) {
    const Value tile = value_of_kind(operand(op, 0), ValueKind::kTile);
    const Slot rows = integer(operand(op, 1));
    const Slot cols = integer(operand(op, 2));
    Step& step = emit(StepCode::kSetValid, op);
    step.a = tile.slot;
    step.b = rows;
    step.c = cols;
    step.work = 2;
}

// %r, %c = pto.get_validshape %t
void TileBinder::get_valid(const Operation& op) {
    const Value tile = value_of_kind(operand(op, 0), ValueKind::kTile);
    std::vector<Value> results(2);
    for (int i = 0; i < 2; ++i) {
        results[i].kind = ValueKind::kScalar;
        results[i].type = &builtin_type("index");
        results[i].slot = new_scalar();
        Step& step = emit(i == 0 ? StepCode::kValidRows : StepCode::kValidCols, op);
        step.r = results[i].slot;
        step.a = tile.slot;
    }
    define_results(op, results);
}

// tile_valid_rows, tile_valid_cols
void TileBinder::tile_valid_extent(const Operation& op) {
    const Value tile = value_of_kind(operand(op, 0), ValueKind::kTile);
    Value result = Value::of(ValueKind::kScalar, builtin_type("index"), new_scalar());
    const bool rows = op.name == "pto.tile_valid_rows";
    Step& step = emit(rows ? StepCode::kValidRows : StepCode::kValidCols, op);
    step.r = result.slot;
    step.a = tile.slot;
    define(op, 0, result);
}

// %y = pto.tgetval ins(%t, %offset : T, index) outs : f32
void TileBinder::get_tile_value(const Operation& op) {
    const Clause& inputs = clause(op, "ins");
    if (inputs.items.size() != 2) fail(op, "K06", "'pto.tgetval' takes a tile and an offset");
    const Value tile = value_of_kind(inputs.items[0], ValueKind::kTile);
    const Slot offset = element_count(inputs.items[1]);
    const Type& type = result_type(op);
    const DType dtype = element_type(*tile.type, op.location);
    if (!type.is_scalar() || type.width != bits(dtype))
        fail(op, "K07",
             "the elements of '" + std::string(tile.type->text) + "' are not '" +
                 std::string(type.text) + "'");
    Value result = Value::of(ValueKind::kScalar, type, new_scalar());
    Step& step = emit(StepCode::kLoadLocal, op);
    step.type = dtype;
    step.r = result.slot;
    step.a = tile.slot;
    step.b = offset;
    define(op, 0, result);
}

// pto.tsetval ins(%offset, %value : index, f32) outs(%t : T)
void TileBinder::set_tile_value(const Operation& op) {
    const Clause& inputs = clause(op, "ins");
    const Clause& outputs = clause(op, "outs");
    if (inputs.items.size() != 2 || outputs.items.size() != 1)
        fail(op, "K06", "'pto.tsetval' takes ins(offset, value) outs(tile)");
    const Value tile = value_of_kind(outputs.items[0], ValueKind::kTile);
    const Slot offset = element_count(inputs.items[0]);
    const Value stored = value_of_kind(inputs.items[1], ValueKind::kScalar);
    const DType dtype = element_type(*tile.type, op.location);
    if (stored.type->width != bits(dtype))
        fail(inputs.items[1].location, "K07",
             "'%" + std::string(inputs.items[1].text) + "' is " + std::string(stored.type->text) +
                 ", no element of '" + std::string(tile.type->text) + "'");
    Step& step = emit(StepCode::kStoreLocal, op);
    step.type = dtype;
    step.a = tile.slot;
    step.b = offset;
    step.c = stored.slot;
}

}  // namespace ptosim::assembly
