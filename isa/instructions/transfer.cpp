// Between global memory and tiles.
#include <optional>

#include "isa/instructions/row.h"
#include "isa/instructions/transfer_rules.h"
#include "isa/semantics/convolution.h"
#include "isa/semantics/fixpipe.h"
#include "isa/semantics/pad.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/undefined_behaviour.h"
#include "isa/semantics/view_lines.h"

namespace ptosim::semantics {

namespace {

// A load transfers whole 32-byte blocks: the lanes between the end of a line and the end of its last block get a value,
// or keep theirs.
struct BlockPadding {
    bool of_rows;  // lines are rows of the tile, not columns
    uint64_t value;
};

// In UB, lines are padded with the tile's pad value (hw-native-sys/pto-isa
// include/pto/common/arch/memory/tload_common.hpp, ubPad); where a load makes boxes of lines in L1,
// with zeros (CANN CCE intrinsics, copy_gm_to_cbuf_multi_nd2nz).
std::optional<BlockPadding> block_padding(const Tile& to, const GlobalView& from,
                                          Numerics numerics) {
    if (to.space == Space::kUB && !to.boxed() && to.pad != Pad::kNull)
        return BlockPadding{to.outer == OuterLayout::kRowMajor, pad_bits(to)};
    if (to.space != Space::kL1 || to.fractal != 512) return std::nullopt;
    const std::string_view layout = layout_name(to);
    if (layout == "NZ" && from.layout == GlobalLayout::kND) return BlockPadding{true, 0};
    if (layout == "ZN" && from.layout == GlobalLayout::kDN) return BlockPadding{false, 0};
    if (!to.boxed() && is_a5(numerics))  // profile rule "l1-lines-end-in-zeros"
        return BlockPadding{to.outer == OuterLayout::kRowMajor, 0};
    return std::nullopt;
}

void pad_last_blocks(const Tile& to, const GlobalView& from, Numerics numerics, std::byte* base) {
    const std::optional<BlockPadding> padding = block_padding(to, from, numerics);
    if (!padding) return;
    const bool of_rows = padding->of_rows;
    const uint64_t value = padding->value;
    const int lines = of_rows ? to.valid_rows : to.valid_cols;
    const int end = of_rows ? to.valid_cols : to.valid_rows;
    const int extent = of_rows ? to.cols : to.rows;
    const int block = static_cast<int>(32 * 8 / bits(to.dtype));
    const int pad_end = std::min(extent, (end + block - 1) / block * block);
    const auto each = [&](auto&& write) {
        for (int line = 0; line < lines; ++line)
            for (int i = end; i < pad_end; ++i)
                of_rows ? write(to.index(line, i)) : write(to.index(i, line));
    };
    if (bits(to.dtype) == 4) {
        each([&](int64_t at) { store_nibble(base, at, value); });
        return;
    }
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        each([&](int64_t at) {
            store(base + at * static_cast<int64_t>(sizeof(T)), static_cast<T>(value));
        });
    });
}

}  // namespace

// dst(i, j) = element (i, j) of the view's matrix.
void TLOAD(const Execution& e) {
    if (load_convolution(e)) return;
    const Tile& to = e.tile(0);
    const GlobalView from = with_dense_lines(e.global(1), to);
    // A vector may change between row and column form (rule load_layouts).
    const bool turned = from.matrix_rows() < to.valid_rows || from.matrix_cols() < to.valid_cols;
    if (!turned && copy_view_lines(from, e.bytes[1], to, e.bytes[0], to.valid_rows, to.valid_cols, Way::kToTile))
        return pad_last_blocks(to, from, e.numerics, e.bytes[0]);
    const Grid& target = grid_of(0, to, 0, 0, to.valid_rows, to.valid_cols);
    Grid& source = scratch_grid(1);
    source.assign(from, turned ? to.valid_cols : to.valid_rows,
                  turned ? to.valid_rows : to.valid_cols);
    if (turned) std::swap(source.row, source.col);
    copy_elements(bits(to.dtype), e.bytes[0], target, e.bytes[1], source);
    pad_last_blocks(to, from, e.numerics, e.bytes[0]);
}

// A hint: the destination serves as a buffer of the transfer and is left as it was (profile rule
// "prefetch-no-data").
void TPREFETCH(const Execution&) {}

// Element (i, j) of the view's matrix = src(i, j), converted and combined according to the modes.
void TSTORE(const Execution& e) {
    const Tile& from = e.tile(1);
    const GlobalView to = with_dense_lines(e.global(0), from);
    const Attributes& modes = e.instruction.attributes;
    const bool turned = to.matrix_rows() != from.valid_rows;
    // Blocks of NZ leave whole.
    const int cols =
        to.layout == GlobalLayout::kNZ ? static_cast<int>(to.matrix_cols()) : from.valid_cols;
    // Between types of one size the bits are stored as they are, except out of L0C.
    Conversion conversion{from.dtype, to.dtype, modes.relu, modes.atomic,
                          hif8_rounding(e.numerics)};
    if (from.space != Space::kL0C) conversion.source_type = conversion.target_type;
    const auto scales = from.space == Space::kL0C ? scales_of(e, 2) : std::nullopt;
    if (!turned && !scales && conversion.is_copy() &&
        copy_view_lines(to, e.bytes[0], from, e.bytes[1], from.valid_rows, cols, Way::kToView))
        return;
    const Grid& source = grid_of(0, from, 0, 0, from.valid_rows, cols);
    Grid& target = scratch_grid(1);
    target.assign(to, turned ? cols : from.valid_rows, turned ? from.valid_rows : cols);
    if (turned) std::swap(target.row, target.col);
    if (scales)
        quantise_elements(conversion, *scales, e.bytes[0], target, e.bytes[1], source);
    else
        convert_elements(conversion, e.bytes[0], target, e.bytes[1], source);
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// A load fills the last block of each line in UB if the tile has a pad value, and the last box of
// each line in L1.
bool loads_beyond_valid(const Instruction& instruction, unsigned operand) {
    if (operand != 0) return false;
    const Tile& to = instruction.tile(0);
    return to.boxed() ? to.space == Space::kL1 : to.space == Space::kUB && to.pad != Pad::kNull;
}

TouchedTiles touched_by_load(const Instruction& instruction, unsigned operand) {
    Tile tile = instruction.tile(operand);
    if (!loads_beyond_valid(instruction, operand)) return {{tile}, 1};
    const bool along_cols =
        tile.boxed() ? tile.inner == InnerLayout::kRowMajor : tile.outer == OuterLayout::kRowMajor;
    const auto unit = tile.boxed() ? (along_cols ? tile.box_cols() : tile.box_rows())
                                   : static_cast<int32_t>(32 * 8 / bits(tile.dtype));
    if (along_cols)
        tile.valid_cols = round_up_within(tile.valid_cols, unit, tile.cols);
    else
        tile.valid_rows = round_up_within(tile.valid_rows, unit, tile.rows);
    return {{tile}, 1};
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/transfer.def"
}  // namespace ptosim::rows
