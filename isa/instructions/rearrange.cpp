// Rearrangement within a memory: transposition, concatenation, padding.
#include "isa/instructions/rearrange_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/convolution.h"
#include "isa/semantics/grid.h"
#include "isa/semantics/pad.h"
#include "isa/semantics/tile_regions.h"

namespace ptosim::semantics {

// dst(j, i) = src(i, j)
void TTRANS(const Execution& e) {
    if (transpose_convolution(e)) return;
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    Grid& target = scratch_grid(0);
    target.assign(to, 0, 0, from.valid_cols, from.valid_rows);
    std::swap(target.row, target.col);
    const Grid& source = grid_of(1, from, 0, 0, from.valid_rows, from.valid_cols);
    copy_elements(bits(to.dtype), e.bytes[0], target, e.bytes[1], source);
}

namespace {

// dst(i, j) = src(i, j) inside the valid region of src, the pad value of dst in the rest of dst's.
void fill_around(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const int rows = std::min(to.valid_rows, from.valid_rows);
    const int cols = std::min(to.valid_cols, from.valid_cols);
    const Grid& target = grid_of(0, to, 0, 0, rows, cols);
    const Grid& source = grid_of(1, from, 0, 0, rows, cols);
    copy_elements(bits(to.dtype), e.bytes[0], target, e.bytes[1], source);

    const bool finite = e.numerics == Numerics::kA5Templates;
    if (bits(to.dtype) == 4) {
        for (int row = 0; row < to.valid_rows; ++row)
            for (int col = row < rows ? cols : 0; col < to.valid_cols; ++col)
                store_nibble(e.bytes[0], to.index(row, col), pad_bits(to, finite));
        return;
    }
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        alignas(64) T pad[kChunk];
        std::fill(pad, pad + kChunk, static_cast<T>(pad_bits(to, finite)));
        for (int row = 0; row < to.valid_rows; ++row)
            for (int col = row < rows ? cols : 0; col < to.valid_cols; col += kChunk)
                write_lanes(to, e.bytes[0], row, col, std::min(kChunk, to.valid_cols - col), pad);
    });
}

}  // namespace

void TFILLPAD(const Execution& e) { fill_around(e); }
// dst is src's own storage.
void TFILLPAD_INPLACE(const Execution& e) { fill_around(e); }
// dst may be larger than src.
void TFILLPAD_EXPAND(const Execution& e) { fill_around(e); }

// dst = src0 and src1 side by side.
void TCONCAT(const Execution& e) {
    const Tile& to = e.tile(0);
    int col = 0;
    for (unsigned i = 1; i <= 2; ++i) {
        const Tile& from = e.tile(i);
        const Grid& target = grid_of(0, to, 0, col, from.valid_rows, from.valid_cols);
        const Grid& source = grid_of(1, from, 0, 0, from.valid_rows, from.valid_cols);
        copy_elements(bits(to.dtype), e.bytes[0], target, e.bytes[i], source);
        col += from.valid_cols;
    }
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// The source of a fill in place is its destination: only the area around it is written, whether the source has been
// loaded already or not (hw-native-sys/pto-isa include/pto/npu/a2a3/TFillPad.hpp).
bool shares_address(const Instruction& instruction) {
    return instruction.tile(0).address == instruction.tile(1).address;
}

// To the right of `inside`, and below; boxes that it reaches into count as inside, but for the rows
// of NZ, which are filled one by one.
TouchedTiles around(const Tile& tile, const Tile& inside) {
    const int32_t row_unit = is_nz(tile) ? 1 : tile.box_rows();
    const int32_t row = round_up_within(inside.valid_rows, row_unit, tile.valid_rows);
    const int32_t col = round_up_within(inside.valid_cols, tile.box_cols(), tile.valid_cols);
    TouchedTiles parts;
    if (col < tile.valid_cols) {
        Tile right = window(tile, 0, col);
        right.valid_rows = row;
        if (row > 0) parts.tiles[parts.count++] = right;
    }
    if (row < tile.valid_rows) parts.tiles[parts.count++] = window(tile, row, 0);
    return parts;
}

TouchedTiles touched_in_place(const Instruction& instruction, unsigned operand) {
    const Tile& tile = instruction.tile(operand);
    if (operand > 1 || !shares_address(instruction)) return {{tile}, 1};
    return operand == 0 ? around(tile, instruction.tile(1)) : TouchedTiles{};
}

// In L1, where only the padding is filled.
TouchedTiles touched_by_fill(const Instruction& instruction, unsigned operand) {
    if (instruction.tile(0).space == Space::kL1) return touched_in_place(instruction, operand);
    return {{instruction.tile(operand)}, 1};
}

// A transposition between convolution layouts reads the elements of the source's shape, which lie
// one after the other; its tile may be larger.
TouchedTiles touched_by_transposition(const Instruction& instruction, unsigned operand) {
    const Attributes& modes = instruction.attributes;
    const Tile& tile = instruction.tile(operand);
    if (operand != 1 || !modes.convolution().src.given()) return {{tile}, 1};
    const int64_t count = as_stored(modes.convolution().src, modes.convolution().dst).elements();
    return {{run_of(tile, static_cast<int32_t>(count))}, 1};
}

// All of the transposed matrix in whole boxes, where both strides are made of whole boxes; else
// elements are copied one by one (hw-native-sys/pto-isa docs/isa/TTRANS.md: "tmp").
uint64_t scratch_of_transposition(const Instruction& instruction) {
    if (instruction.attributes.convolution().src.given() || instruction.attributes.convolution().dst.given()) return 0;
    const Tile &dst = instruction.tile(0), &src = instruction.tile(1);
    const auto box = bits(src.dtype) == 8 ? 32 : 16;
    const auto block = static_cast<int32_t>(32 * 8 / bits(src.dtype));
    if (dst.pitch % box != 0 || src.pitch % block != 0 || src.pitch / block > 255) return 0;
    return bytes(src.dtype,
                 static_cast<size_t>(int64_t{src.valid_cols} * round_up(src.valid_rows, box)));
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/TTrans.hpp: without scratch, the scalar unit copies element
// after element; else dst is written when all of the source is in scratch.
bool is_copied_by_element(const Instruction& instruction) {
    const auto& modes = instruction.attributes.convolution();
    return !modes.src.given() && !modes.dst.given() && scratch_of_transposition(instruction) == 0;
}
bool is_copied_by_scratch(const Instruction& instruction) {
    return scratch_of_transposition(instruction) != 0;
}
constexpr std::array kTranspositionWrites{
    EarlyWrite{0, 1, EarlyWrite::Unless::kNever, is_copied_by_element},
    EarlyWrite{2, 1, EarlyWrite::Unless::kNever, is_copied_by_scratch}};

bool transposed_over_source(const Execution& e, const EarlyWrite& write) {
    if (write.written != 0) return false;
    const Tile &to = e.tile(0), &from = e.tile(1);
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < from.valid_rows; ++row)
            for (int col = 0; col < from.valid_cols; ++col)
                write_lane(to, e.bytes[0], col, row, read_lane<T>(from, e.bytes[1], row, col));
    });
    return true;
}

// include/pto/npu/a2a3/TConcat.hpp: rows of src0, then rows of src1.
constexpr std::array kConcatenationWrites{EarlyWrite{0, 1, EarlyWrite::Unless::kSameElements},
                                          EarlyWrite{0, 2}};

constexpr std::array kConcatenationFlags{InternalFlag{Pipe::kMTE2, Pipe::kS, 0},
                                         InternalFlag{Pipe::kV, Pipe::kS, 0}};
constexpr std::array kTranspositionFlags{
    InternalFlag{Pipe::kV, Pipe::kS, 0},    InternalFlag{Pipe::kS, Pipe::kV, 0},
    InternalFlag{Pipe::kMTE3, Pipe::kS, 0}, InternalFlag{Pipe::kS, Pipe::kMTE3, 0},
    InternalFlag{Pipe::kMTE3, Pipe::kV, 0}, InternalFlag{Pipe::kV, Pipe::kMTE3, 0}};

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/rearrange.def"
}  // namespace ptosim::rows
