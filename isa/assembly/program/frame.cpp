#include "isa/assembly/program/frame.h"

#include <algorithm>
#include <string>

#include "isa/core/checked.h"
#include "isa/core/view_span.h"
#include "isa/table/layout_override.h"
#include "isa/table/physical_layout.h"

namespace ptosim::assembly {

namespace {

std::optional<int64_t> add_product(std::optional<int64_t> sum, int64_t a, int64_t b) {
    const std::optional<int64_t> product = checked_multiply(a, b);
    return sum && product ? checked_add(*sum, *product) : std::nullopt;
}

// True if elements that begin inside a box are arranged differently from elements that begin at its first: the next box
// is not directly after its last line.
bool crosses_boxes(int32_t begin, int32_t count, int32_t box) {
    return begin % box != 0 && begin % box + count > box;
}

}  // namespace

void Frame::fail(const Step& step, std::string_view code, Category category, std::string message,
                 std::string hint) {
    Diagnostic diagnostic;
    diagnostic.code = code;
    diagnostic.category = category;
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    sources.locate(diagnostic, step.where);
    throw DiagnosticError(std::move(diagnostic));
}

uint64_t Frame::identity(IdentityField field) const {
    const BlockIdentity& id = port.identity();
    switch (field) {
        case IdentityField::kBlock:
            return id.block;
        case IdentityField::kBlocks:
            return id.blocks;
        case IdentityField::kSubblock:
            return id.subblock;
        case IdentityField::kSubblocks:
            return id.subblocks;
    }
    return 0;
}

int32_t Frame::extent(const Step& step, Slot slot, const char* what) {
    const int64_t value = integer(slot);
    if (value < 0 || value > INT32_MAX)
        fail(step, "S02", Category::kIllegal, std::string(what) + " is " + std::to_string(value),
             "it must lie in 0..2147483647");
    return static_cast<int32_t>(value);
}

uint32_t Frame::local_address(const Step& step, uint64_t address) {
    if (address > UINT32_MAX)
        fail(step, "A03", Category::kIllegal,
             "tile address " + std::to_string(static_cast<int64_t>(address)) +
                 " lies outside every on-chip memory");
    return static_cast<uint32_t>(address);
}

void Frame::set_valid(const Step& step, Tile& tile, Slot rows, Slot cols) {
    if (rows != kNoSlot) tile.valid_rows = extent(step, rows, "the number of valid rows");
    if (cols != kNoSlot) tile.valid_cols = extent(step, cols, "the number of valid columns");
}

void Frame::make_view(const Step& step) {
    const ViewPlan& plan = program.views[step.index];
    GlobalView view = plan.view;
    view.address = scalars[step.a];
    for (int i = 0; i < GlobalView::kRank; ++i) {
        if (plan.shape[i] != kNoSlot) view.shape[i] = extent(step, plan.shape[i], "a dimension");
        if (plan.stride[i] != kNoSlot) view.stride[i] = stride(step, plan.stride[i]);
    }
    // Leading dimensions that the text does not have are dense around the others. Their extent is
    // 1: where a stride is too large, none is as good.
    for (int i = GlobalView::kRank - plan.rank - 1; i >= 0; --i) {
        const auto dense = checked_multiply(view.shape[i + 1], view.stride[i + 1]);
        view.stride[i] = dense && *dense <= kMaxStride ? *dense : 0;
    }
    views[step.r] = view;
}

void Frame::partition(const Step& step) {
    const PartitionPlan& plan = program.partitions[step.index];
    const GlobalView& whole = views[step.a];
    GlobalView view = whole;
    std::optional<int64_t> elements = 0;
    for (int i = 0; i < GlobalView::kRank; ++i) {
        const int64_t offset = plan.offset[i] == kNoSlot ? 0 : integer(plan.offset[i]);
        if (offset != 0) elements = add_product(elements, offset, view.stride[i]);
        if (plan.size[i] != kNoSlot) view.shape[i] = extent(step, plan.size[i], "a size");
        if (view.shape[i] > 0 && (offset < 0 || offset > whole.shape[i] - view.shape[i]))
            warn_outside(step, view, i, offset);
    }
    if (!elements) fail_beyond(step, "the offsets of the part of a view are");
    view.address += static_cast<uint64_t>(byte_offset(step, view.dtype, *elements));
    views[step.r] = view;
}

// The extents of a view have no effect on a device: the access takes place.
void Frame::warn_outside(const Step& step, const GlobalView& part, int dimension, int64_t offset) {
    const auto i = static_cast<size_t>(dimension);
    Diagnostic diagnostic;
    diagnostic.code = "A10";
    diagnostic.category = Category::kUndefined;
    diagnostic.message = "elements " + std::to_string(offset) + " to " +
                         std::to_string(offset + part.shape[i]) + " of dimension " +
                         std::to_string(dimension + program.partitions[step.index].rank -
                                        GlobalView::kRank) +
                         " lie outside the view, which has " +
                         std::to_string(views[step.a].shape[i]);
    diagnostic.hint = "check offsets and sizes against the shape of the view";
    sources.locate(diagnostic, step.where);
    port.warn(std::move(diagnostic));
}

int64_t Frame::stride(const Step& step, Slot slot) {
    const int64_t value = integer(slot);
    if (value > kMaxStride || value < -kMaxStride)
        fail_beyond(step, "a stride of " + std::to_string(value) + " elements is");
    return value;
}

void Frame::fail_beyond(const Step& step, const std::string& what) {
    fail(step, "G01", Category::kIllegal, what + " beyond every memory",
         "check the arithmetic that the number comes from");
}

void Frame::check_span(const Step& step, const GlobalView& view) {
    if (!span_of(view)) fail_beyond(step, "the view " + to_text(view) + " reaches");
}

int64_t Frame::byte_offset(const Step& step, DType type, int64_t elements) {
    const auto width = static_cast<int64_t>(bits(type));
    if (width == 4 && elements % 2 != 0)
        fail(step, "G03", Category::kIllegal,
             "element " + std::to_string(elements) + " of a 4-bit type does not start at a byte boundary");
    if (width == 4) return elements / 2;
    const std::optional<int64_t> bytes = checked_multiply(elements, width / 8);
    if (!bytes) fail_beyond(step, "an offset of " + std::to_string(elements) + " elements is");
    return *bytes;
}

void Frame::window(const Step& step) {
    const WindowPlan& plan = program.windows[step.index];
    const Tile& parent = tiles[step.a];
    Tile tile = plan.tile;
    const int32_t row = extent(step, plan.row, "the row of a subview");
    const int32_t col = extent(step, plan.col, "the column of a subview");
    tile.pitch = parent.pitch;
    tile.address = local_address(
        step, parent.address +
                  static_cast<uint64_t>(byte_offset(step, parent.dtype, parent.index(row, col))));
    set_valid(step, tile, plan.valid_rows, plan.valid_cols);
    tile.valid_rows = std::min(tile.valid_rows, tile.rows);
    tile.valid_cols = std::min(tile.valid_cols, tile.cols);
    const bool rows_go_on =
        parent.outer == OuterLayout::kColMajor && parent.inner == InnerLayout::kRowMajor;
    const bool cols_go_on =
        parent.outer == OuterLayout::kRowMajor && parent.inner == InnerLayout::kColMajor;
    if ((!rows_go_on && crosses_boxes(row, tile.valid_rows, parent.box_rows())) ||
        (!cols_go_on && crosses_boxes(col, tile.valid_cols, parent.box_cols())))
        fail(step, "S11", Category::kIllegal,
             "the window of " + std::to_string(tile.valid_rows) + "x" +
                 std::to_string(tile.valid_cols) + " begins at (" + std::to_string(row) + ", " +
                 std::to_string(col) + "), inside a box of " + std::to_string(parent.box_rows()) +
                 "x" + std::to_string(parent.box_cols()) + ", and leaves it");
    // The last window of a row of windows may hang over its tile, as long as its valid region
    // does not.
    if (int64_t{row} + tile.valid_rows > parent.rows ||
        int64_t{col} + tile.valid_cols > parent.cols)
        fail(step, "S11", Category::kIllegal,
             "the window of " + std::to_string(tile.valid_rows) + "x" +
                 std::to_string(tile.valid_cols) + " at (" + std::to_string(row) + ", " +
                 std::to_string(col) + ") leaves its tile of " + std::to_string(parent.rows) + "x" +
                 std::to_string(parent.cols));
    tiles[step.r] = tile;
}

void Frame::retype(const Step& step) {
    Tile tile = program.tiles[step.index];
    const Tile& source = tiles[step.a];
    tile.address = source.address;
    // A '?' of the result type takes the value of the source.
    if (tile.valid_rows < 0) tile.valid_rows = std::min(source.valid_rows, tile.rows);
    if (tile.valid_cols < 0) tile.valid_cols = std::min(source.valid_cols, tile.cols);
    // The bytes do not move: a window keeps its parent's pitch.
    Tile dense = source;
    set_dense_pitch(dense);
    if (dense.pitch != source.pitch) {
        if (tile.rows != source.rows || tile.outer != source.outer || tile.inner != source.inner ||
            tile.cols * bits(tile.dtype) != source.cols * bits(source.dtype))
            fail(step, "S10", Category::kIllegal,
                 "a subview that is not contiguous cannot be given another shape");
        tile.pitch =
            static_cast<int32_t>(int64_t{source.pitch} * bits(source.dtype) / bits(tile.dtype));
        if (source.outer == OuterLayout::kColMajor || source.boxed()) tile.pitch = source.pitch;
    }
    tiles[step.r] = tile;
}

Slot Frame::array_slot(const Step& step) {
    const ArrayAccess& array = program.arrays[step.index];
    std::optional<int64_t> index = 0;
    for (const auto& [slot, stride] : array.indices)
        index = add_product(index, integer(slot), stride);
    if (!index || *index < 0 || *index >= array.count)
        fail(step, "A10", Category::kIllegal,
             (index ? "index " + std::to_string(*index) : std::string("an index beyond 64 bits")) +
                 " lies outside an array of " + std::to_string(array.count));
    return array.first + static_cast<Slot>(*index);
}

uint64_t Frame::element_address(const Step& step, Slot pointer, Slot offset) {
    return scalars[pointer] + static_cast<uint64_t>(byte_offset(step, step.type, integer(offset)));
}

namespace {

// Scales of block-scaled factors lie in global memory as in L1, box by box, whole boxes only
// (hw-native-sys/PTOAS lib/PTO/Transforms/PTOToEmitC.cpp, getSpecialScaleGlobalTensorTypeSpec).
void adopt_boxes_of_scales(GlobalView& view, const Tile& tile) {
    const std::string_view layout = layout_name(tile);
    const bool left = layout == "ZZ" && tile.rows != 1, right = layout == "NN";
    const bool matrix = view.shape[0] == 1 && view.shape[1] == 1 && view.shape[2] == 1;
    if (tile.dtype != DType::kE8M0 || tile.fractal != 32 || !matrix || (!left && !right)) return;
    const int32_t outer = left ? tile.rows : tile.cols, inner = left ? tile.cols : tile.rows;
    view.layout = left ? GlobalLayout::kMxAZZ : GlobalLayout::kMxBNN;
    view.shape = {1, outer / 16, inner / 2, 16, 2};
    view.stride = {int64_t{outer} * inner, int64_t{16} * inner, 32, 2, 1};
}

}  // namespace

void adopt_layout(Instruction& instruction, unsigned view) {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (!instruction.operands[i].is_tile()) continue;
        const Tile& tile = instruction.operands[i].tile;
        if (tile.space == Space::kL1)
            adopt_boxes_of_scales(instruction.operands[view].global, tile);
        if (tile.space != Space::kUB) return;
        GlobalLayout& layout = instruction.operands[view].global.layout;
        if (tile.boxed())
            layout = layout_name(tile) == "NZ" ? GlobalLayout::kNZ : layout;
        else
            layout = tile.outer == OuterLayout::kColMajor ? GlobalLayout::kDN : GlobalLayout::kND;
        return;
    }
}

void Frame::tile_slot(const Step& step) {
    const int64_t slot = integer(step.b);
    if (slot < 0 || slot >= step.index)
        fail(step, "A10", Category::kIllegal,
             "slot " + std::to_string(slot) + " is out of range: the tile has " +
                 std::to_string(step.index) + " slots, counted from 0");
    Tile tile = tiles[step.a];
    const uint64_t size = (tile.byte_size() + kTileAlignment - 1) / kTileAlignment;
    tile.address =
        local_address(step, tile.address + static_cast<uint64_t>(slot) * size * kTileAlignment);
    tiles[step.r] = tile;
}

int64_t Frame::view_extent(const Step& step) {
    const int64_t dim = integer(step.b);
    if (dim < 0 || dim >= step.index)
        fail(step, "S01", Category::kIllegal,
             "dimension " + std::to_string(dim) + " is out of range: the view has " +
                 std::to_string(step.index) + " dimensions, counted from 0");
    const size_t i = GlobalView::kRank - step.index + static_cast<size_t>(dim);
    const GlobalView& view = views[step.a];
    return step.code == StepCode::kViewDim ? view.shape[i] : view.stride[i];
}

bool Frame::fill(const Step& step, Instruction& instruction) {
    const IssuePlan& plan = program.issues[step.index];
    if (plan.only && *plan.only != port.identity().core) return false;
    instruction.assign_all_but_operands(plan.prototype);
    for (unsigned i = 0; i < plan.prototype.operand_count; ++i) {
        const OperandPlan& operand = plan.operands[i];
        Operand& to = instruction.operands[i];
        switch (operand.kind) {
            case Operand::Kind::kNone:
                to.kind = Operand::Kind::kNone;
                break;
            case Operand::Kind::kTile:
                to.kind = Operand::Kind::kTile;
                to.tile = tiles[operand.slot];
                break;
            case Operand::Kind::kGlobal:
                to.kind = Operand::Kind::kGlobal;
                to.global = views[operand.slot];
                if (operand.layout) to.global.layout = *operand.layout;
                break;
            case Operand::Kind::kScalar:
                to.kind = Operand::Kind::kScalar;
                to.scalar = {unsigned_bits(scalars[operand.slot], bits(operand.dtype)),
                             operand.dtype};
                break;
        }
    }
    for (unsigned i = 0; i < plan.prototype.operand_count; ++i)
        if (plan.operands[i].layout_from_tile && !plan.operands[i].layout)
            adopt_layout(instruction, i);
    if (may_derive_pitches(instruction.opcode) && may_have_open_rows(instruction.opcode))
        for (unsigned i = 0; i < instruction.operand_count; ++i)
            if (pitch_from(instruction, i, port.arch()) == PitchFrom::kOpenRows)
                declare_rows(instruction.operands[i].tile, plan.operands[i].open_rows);
    if (may_override_layout(instruction.opcode)) override_layout(instruction, port.arch());
    walk_columns(instruction, plan.columns);
    if (plan.event != kNoSlot) {
        const int64_t event = integer(plan.event);
        if (event < 0 || event > 255)
            fail(step, "E08", Category::kIllegal,
                 "event id " + std::to_string(event) + " is out of range");
        instruction.attributes.event_id = static_cast<uint8_t>(event);
    }
    if (plan.participants != kNoSlot) {
        const int64_t count = static_cast<int32_t>(integer(plan.participants));
        if (count < 1 || count > UINT16_MAX)
            fail(step, "S02", Category::kIllegal,
                 "the number of cores of a barrier is " + std::to_string(count),
                 "it must lie in 1..65535");
        instruction.attributes.participants = static_cast<uint16_t>(count);
    }
    return true;
}

}  // namespace ptosim::assembly
