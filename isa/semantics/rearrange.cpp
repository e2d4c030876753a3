// Transposition, padding, concatenation and ranges within UB.
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/convolution.h"
#include "isa/semantics/grid.h"
#include "isa/semantics/pad.h"

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
void fill_pad(const Execution& e) {
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

void TFILLPAD(const Execution& e) { fill_pad(e); }
// dst is src's own storage.
void TFILLPAD_INPLACE(const Execution& e) { fill_pad(e); }
// dst may be larger than src.
void TFILLPAD_EXPAND(const Execution& e) { fill_pad(e); }

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

// Row i of dst = the first elements of row i of src0, then those of src1. The lengths are the
// indices divided by their size in bytes (hw-native-sys/pto-isa include/pto/npu/a2a3/TConcat.hpp;
// profile rule "concat-index-bytes"), and end with the valid regions. dstIdx, in the same unit, is
// the length of the row.
void TCONCATIDX(const Execution& e) {
    const Tile& to = e.tile(0);
    const int64_t unit = bits(e.tile(3).dtype) / 8;
    const bool counts = e.instruction.operand_count > 5 && e.instruction.operands[5].present();
    visit_integer(e.tile(3).dtype, [&](auto index_type) {
        using Index = decltype(index_type);
        for (int row = 0; row < to.valid_rows; ++row) {
            int64_t wanted[2];
            int begin = 0;
            for (unsigned i = 0; i < 2; ++i) {
                const Tile& from = e.tile(1 + i);
                const auto index = read_lane<Index>(e.tile(3 + i), e.bytes[3 + i], row, 0);
                wanted[i] = std::max<int64_t>(0, static_cast<int64_t>(index) / unit);
                const int count = static_cast<int>(
                    std::min<int64_t>(wanted[i], std::min(from.valid_cols, to.valid_cols - begin)));
                const Grid& target = grid_of(0, to, row, begin, 1, count);
                const Grid& source = grid_of(1, from, row, 0, 1, count);
                copy_elements(bits(to.dtype), e.bytes[0], target, e.bytes[1 + i], source);
                begin += count;
            }
            if (counts) write_lane(e.tile(5), e.bytes[5], row, 0, static_cast<Index>(begin * unit));
        }
    });
}

// dst(0, j) = start + j, or start - j if descending: integers wrap, floats are rounded once.
void TCI(const Execution& e) {
    const Tile& to = e.tile(0);
    visit_arithmetic(to.dtype, [&](auto type) {
        using T = decltype(type);
        const T start = scalar_as<T>(e.scalar(1));
        const bool down = e.instruction.attributes.descending;
        for (int col = 0; col < to.valid_cols; ++col) {
            if constexpr (is_float_v<T>) {
                const auto step = static_cast<float>(down ? -col : col);
                write_lane(to, e.bytes[0], 0, col, round_to<T>(add(to_float(start), step)));
            } else {
                const T step = static_cast<T>(col);
                write_lane(to, e.bytes[0], 0, col,
                           down ? sub_lane(start, step) : add_lane(start, step));
            }
        }
    });
}

}  // namespace ptosim::semantics
