// Names, slots and types: what the other parts of the binder stand on.
#include <algorithm>
#include <utility>

#include "isa/arch.h"
#include "isa/assembly/bind/binder_state.h"

namespace ptosim::assembly {

namespace {

// Which numbering of slots values of a kind have.
enum class Bank : uint8_t { kScalars, kTiles, kViews };
Bank bank(ValueKind kind) {
    if (kind == ValueKind::kTile || kind == ValueKind::kMultiTile) return Bank::kTiles;
    return kind == ValueKind::kView ? Bank::kViews : Bank::kScalars;
}

}  // namespace

ValueKind make_kind(const Type& type) {
    switch (type.kind) {
        case TypeKind::kIndex:
        case TypeKind::kInteger:
        case TypeKind::kFloat:
            return ValueKind::kScalar;
        case TypeKind::kPointer:
            return ValueKind::kPointer;
        case TypeKind::kTensorView:
        case TypeKind::kPartitionView:
            return ValueKind::kView;
        case TypeKind::kTile:
            return ValueKind::kTile;
        case TypeKind::kMultiTile:
            return ValueKind::kMultiTile;
        case TypeKind::kLocalArray:
            return ValueKind::kLocalArray;
        case TypeKind::kEventArray:
            return ValueKind::kEventArray;
        case TypeKind::kOpaque:
            break;
    }
    if (type.text.starts_with("!pto.struct<")) return ValueKind::kStruct;
    static constexpr std::string_view kHandles[] = {
        "!pto.async_session", "!pto.async_event", "!pto.prefetch_async_context",
        "vector<4xi16>",      "!pto.hif8x2",      "!pto.bf16x2"};
    const bool handle =
        std::find(std::begin(kHandles), std::end(kHandles), type.text) != std::end(kHandles);
    return handle ? ValueKind::kHandle : ValueKind::kPoison;
}

const Type& builtin_type(std::string_view name) {
    static const auto kTypes = [] {
        std::vector<Type> types;
        TypeProblem unused;
        for (const char* word : {"i1", "i32", "i64", "index"})
            types.push_back(*parse_type(word, unused));
        return types;
    }();
    return *std::find_if(kTypes.begin(), kTypes.end(),
                         [&](const Type& type) { return type.text == name; });
}

std::string_view text_line(std::string_view text, uint32_t line) {
    size_t begin = 0;
    for (uint32_t i = 1; i < line; ++i) {
        begin = text.find('\n', begin);
        if (begin == std::string_view::npos) return {};
        ++begin;
    }
    if (line == 0) return {};
    std::string_view found = text.substr(begin, text.find('\n', begin) - begin);
    if (found.ends_with('\r')) found.remove_suffix(1);
    return found.substr(0, 500);
}

Slot Binder::new_scalar(uint64_t initial) {
    constant_.push_back(false);
    return added(program_.scalars, initial);
}

Slot Binder::constant(uint64_t value) {
    const auto [known, added] = constants_.try_emplace(value, kNoSlot);
    if (added) {
        known->second = new_scalar(value);
        constant_[known->second] = true;
    }
    return known->second;
}

Value Binder::make_value(const Type& type, const Operation& op) {
    Value value;
    value.kind = make_kind(type);
    value.type = &type;
    switch (value.kind) {
        case ValueKind::kPoison:
            fail(op, "K07", "values of type '" + std::string(type.text) + "' are not supported");
        case ValueKind::kScalar:
        case ValueKind::kPointer:
            value.slot = new_scalar();
            break;
        case ValueKind::kTile:
        case ValueKind::kMultiTile:
            value.slot = new_tile();
            break;
        case ValueKind::kView:
            value.slot = new_view();
            break;
        case ValueKind::kLocalArray:
        case ValueKind::kEventArray:
        case ValueKind::kFifo:
            fail(op, "K07", "arrays and pipes cannot be passed between regions");
        case ValueKind::kStruct:
            fail(op, "K07",
                 "a stack-local struct must not escape the scope that declares it: no function "
                 "argument, no result and no value of a region is one");
        case ValueKind::kHandle:
            if (!options_.verify)
                fail(op, "K03",
                     "values of type '" + std::string(type.text) + "' cannot be handed to a run");
            break;
    }
    return value;
}

void Binder::define_name(std::string_view name, SourceLocation where, std::vector<Value> values) {
    const bool added = names_.try_emplace(name, std::move(values)).second;
    if (!added) fail(where, "K05", "the value '%" + std::string(name) + "' is defined twice");
    scope_.push_back(name);
}

// Gives the operation's only result, or result `result` of several names, its value.
void Binder::define(const Operation& op, size_t result, const Value& value) {
    if (result >= op.results.size())
        fail(op, "K06", "the result of '" + std::string(op.name) + "' needs a name",
             "write '%x = " + std::string(op.name) + " ...'");
    define_name(op.results[result].name, op.results[result].location, {value});
}

const Value& Binder::value(const Item& item) {
    if (item.kind != Item::Kind::kValue)
        fail(item.location, "K07", "expected a value here, not '" + std::string(item.text) + "'");
    const auto found = names_.find(item.text);
    if (found == names_.end()) {
        std::vector<std::string_view> known;
        known.reserve(names_.size());
        for (const auto& [name, values] : names_) known.push_back(name);
        std::sort(known.begin(), known.end());
        const std::string near = closest(item.text, known);
        fail(item.location, "K05", "undefined value '%" + std::string(item.text) + "'",
             near.empty() ? "" : "did you mean '%" + near + "'?");
    }
    if (item.result >= found->second.size())
        fail(item.location, "K05",
             "'%" + std::string(item.text) + "' has " + std::to_string(found->second.size()) +
                 " results, no number " + std::to_string(item.result));
    const Value& value = found->second[item.result];
    if (value.kind == ValueKind::kPoison) throw Silent{};
    return value;
}

const Value& Binder::value_of_kind(const Item& item, ValueKind kind) {
    const Value& found = value(item);
    if (found.kind != kind)
        fail(item.location, "K07",
             "'%" + std::string(item.text) + "' is " + std::string(name(found.kind)) + ", not " +
                 std::string(name(kind)));
    return found;
}

Slot Binder::integer(const Item& item) {
    if (item.kind == Item::Kind::kAttribute && item.attribute->kind == AttributeKind::kInteger)
        return constant(static_cast<uint64_t>(item.attribute->integer));
    const Value& found = value_of_kind(item, ValueKind::kScalar);
    if (found.type->kind == TypeKind::kFloat)
        fail(item.location, "K07",
             "'%" + std::string(item.text) + "' is " + std::string(found.type->text) +
                 ", not an integer");
    return found.slot;
}

// The values among an operation's unnamed operands, without words and attributes.
std::vector<const Item*> Binder::operands(const Operation& op) const {
    std::vector<const Item*> found;
    for (const Clause& clause : op.clauses)
        if (clause.name.empty())
            for (const Item& item : clause.items)
                if (item.kind == Item::Kind::kValue) found.push_back(&item);
    return found;
}

const Item& Binder::operand(const Operation& op, size_t index) {
    const std::vector<const Item*> all = operands(op);
    if (index >= all.size())
        fail(op, "K06",
             "'" + std::string(op.name) + "' needs at least " + std::to_string(index + 1) +
                 " operands, given are " + std::to_string(all.size()));
    return *all[index];
}

const Clause& Binder::clause(const Operation& op, std::string_view wanted) {
    if (const Clause* found = op.clause(wanted)) return *found;
    const std::string shown = wanted == "["    ? "'[...]'"
                              : wanted.empty() ? "operands behind its name"
                                               : "'" + std::string(wanted) + "'";
    fail(op, "K09", "'" + std::string(op.name) + "' needs " + shown);
}

const Item& Binder::only_item(const Operation& op, const Clause& clause) {
    if (clause.items.size() == 1) return clause.items[0];
    fail(clause.location, "K09",
         "'" + std::string(clause.name) + "' of '" + std::string(op.name) + "' takes one value");
}

// The type behind '->', or behind ':' for operations that write only that.
const Type& Binder::result_type(const Operation& op, size_t index) {
    const auto types = op.result_types.empty() ? op.types : op.result_types;
    if (index >= types.size())
        fail(op, "K07", "'" + std::string(op.name) + "' needs the type of its result");
    return *types[index];
}

// The tile that a type describes, as this architecture has it.
Tile Binder::tile_of(const Type& type, const Operation& op) {
    if (!type.dtype)
        fail(op, "K07", "no tile can have the elements of '" + std::string(type.text) + "'");
    Tile tile = type.tile;
    // The order of boxes in L0A is the core's, not the text's
    // (hw-native-sys/PTOAS lib/PTO/IR/PTOTypeDefs.cpp, resolveTileBufBLayout).
    if (tile.space == Space::kL0A && tile.boxed())
        tile.outer = traits_of(options_.arch).left_boxes_by_column ? OuterLayout::kColMajor
                                                                   : OuterLayout::kRowMajor;
    // MX scales are written as "scaling" too; their fractal tells them from quantisation
    // parameters, and their order which side they belong to.
    if (tile.space == Space::kFixpipe && tile.fractal == 32)
        tile.space = tile.outer == OuterLayout::kRowMajor ? Space::kScaleA : Space::kScaleB;
    set_dense_pitch(tile);
    return tile;
}

Step& Binder::emit(StepCode code, const Operation& op) {
    Step& step = program_.steps.emplace_back();
    origins_.push_back(&op);
    step.code = code;
    step.where = op.source;
    return step;
}

void Binder::move(const Value& to, const Value& from, const Operation& op) {
    if (to.slot == from.slot) return;
    static constexpr StepCode kCodes[] = {StepCode::kMove, StepCode::kMoveTile,
                                          StepCode::kMoveView};
    Step& step = emit(kCodes[static_cast<size_t>(bank(to.kind))], op);
    step.r = to.slot;
    step.a = from.slot;
}

void Binder::check_kinds(std::span<const Value> to, std::span<const Value> from,
                         const Operation& op) {
    if (to.size() != from.size())
        fail(op, "K06",
             "'" + std::string(op.name) + "' passes " + std::to_string(from.size()) +
                 " values where " + std::to_string(to.size()) + " are expected");
    for (size_t i = 0; i < to.size(); ++i) {
        const bool same_width = to[i].kind != ValueKind::kScalar || to[i].type == nullptr ||
                                from[i].type == nullptr || to[i].type->width == from[i].type->width;
        if (to[i].kind != from[i].kind || !same_width)
            fail(
                op, "K07",
                "value " + std::to_string(i + 1) + " of '" + std::string(op.name) + "' is " +
                    std::string(from[i].type != nullptr ? from[i].type->text : name(from[i].kind)) +
                    ", not " +
                    std::string(to[i].type != nullptr ? to[i].type->text : name(to[i].kind)));
    }
}

void Binder::move_all(std::span<const Value> to, std::span<const Value> from, const Operation& op) {
    check_kinds(to, from, op);
    // A source that an earlier move overwrites goes through a slot of its own.
    std::vector<Value> safe(from.begin(), from.end());
    for (size_t i = 0; i < safe.size(); ++i) {
        for (size_t earlier = 0; earlier < i; ++earlier) {
            if (bank(safe[i].kind) != bank(to[earlier].kind)) continue;
            if (safe[i].slot != to[earlier].slot || from[earlier].slot == to[earlier].slot)
                continue;
            Value copy = safe[i];
            switch (bank(copy.kind)) {
                case Bank::kTiles:
                    copy.slot = new_tile();
                    break;
                case Bank::kViews:
                    copy.slot = new_view();
                    break;
                case Bank::kScalars:
                    copy.slot = new_scalar();
                    break;
            }
            move(copy, safe[i], op);
            safe[i] = copy;
            break;
        }
    }
    for (size_t i = 0; i < safe.size(); ++i) move(to[i], safe[i], op);
}

}  // namespace ptosim::assembly
