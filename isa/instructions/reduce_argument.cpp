// Positions of the extremes of rows and columns: of equal elements the first one, and NaN only if
// there is nothing else.
#include <algorithm>

#include "isa/instructions/reduce_argument_rules.h"
#include "isa/instructions/row.h"
#include "isa/numeric/round_up.h"
#include "isa/semantics/ordering.h"

namespace ptosim::semantics {

namespace {

void write_index(const Execution& e, int row, int col, int index) {
    const Tile& to = e.tile(0);
    visit_bits(to.dtype, [&](auto type) {
        write_lane(to, e.bytes[0], row, col, static_cast<decltype(type)>(index));
    });
}

// The optional second result: the best element itself.
template <typename T>
void write_best(const Execution& e, int row, int col, T value) {
    if (e.instruction.operands[3].is_tile()) write_lane(e.tile(3), e.bytes[3], row, col, value);
}

// The first position of the best element; NaN only wins if there is nothing else.
template <typename Better>
void arg_rows(const Execution& e, Better&& better) {
    const Tile& from = e.tile(1);
    visit_arithmetic(from.dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < from.valid_rows; ++row) {
            int best = 0;
            T value = read_lane<T>(from, e.bytes[1], row, 0);
            for (int col = 1; col < from.valid_cols; ++col) {
                const T other = read_lane<T>(from, e.bytes[1], row, col);
                if (!better(other, value)) continue;
                best = col;
                value = other;
            }
            write_index(e, row, 0, best);
            write_best(e, row, 0, value);
        }
    });
}

template <typename Better>
void arg_columns(const Execution& e, Better&& better) {
    const Tile& from = e.tile(1);
    visit_arithmetic(from.dtype, [&](auto type) {
        using T = decltype(type);
        for (int col = 0; col < from.valid_cols; ++col) {
            int best = 0;
            T value = read_lane<T>(from, e.bytes[1], 0, col);
            for (int row = 1; row < from.valid_rows; ++row) {
                const T other = read_lane<T>(from, e.bytes[1], row, col);
                if (!better(other, value)) continue;
                best = row;
                value = other;
            }
            write_index(e, 0, col, best);
            write_best(e, 0, col, value);
        }
    });
}

}  // namespace

void TROWARGMAX(const Execution& e) {
    arg_rows(e, [](auto a, auto b) { return greater(a, b); });
}
void TROWARGMIN(const Execution& e) {
    arg_rows(e, [](auto a, auto b) { return less(a, b); });
}
void TCOLARGMAX(const Execution& e) {
    arg_columns(e, [](auto a, auto b) { return greater(a, b); });
}
void TCOLARGMIN(const Execution& e) {
    arg_columns(e, [](auto a, auto b) { return less(a, b); });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

int64_t vector_lanes(const Tile& tile) { return 256 * 8 / bits(tile.dtype); }
int64_t block_lanes(const Tile& tile) { return 32 * 8 / bits(tile.dtype); }
bool has_values(const Instruction& instruction) {
    return instruction.operand_count > 3 && instruction.operands[3].is_tile();
}
uint64_t bytes_of(const Tile& tile, int64_t elements) {
    return bytes(tile.dtype, static_cast<size_t>(elements));
}

// Values and indices of the vectors of each row, and then of vectors of those (hw-native-sys/pto-isa
// docs/isa/TROWARGMAX.md: "tmp"). Only floats have an instruction that finds both.
uint64_t scratch_row_of_row_argument(const Instruction& instruction) {
    const Tile& src = instruction.tile(1);
    if (is_integer(src.dtype)) return 0;
    const int64_t lanes = vector_lanes(src), block = block_lanes(src);
    const int64_t vectors = ceil_div(int64_t{src.valid_cols}, lanes);
    if (vectors <= 1) return 0;
    const int64_t pairs = round_up(2 * vectors, block);
    if (vectors <= lanes) return bytes_of(src, pairs + round_up(vectors, block));
    const int64_t second = round_up(vectors, block) + round_up(2 * ceil_div(vectors, lanes), block);
    return bytes_of(src, std::max(pairs, second) + 2);
}
uint64_t scratch_of_row_argument(const Instruction& instruction) {
    const Tile &src = instruction.tile(1), &tmp = instruction.tile(2);
    if (is_integer(src.dtype) || src.valid_rows == 0) return 0;
    const uint64_t row = scratch_row_of_row_argument(instruction);
    if (row != 0) return bytes_of(tmp, int64_t{src.valid_rows - 1} * tmp.pitch) + row;
    // A value and its index for each row, in a column or side by side.
    if (!has_values(instruction)) return 0;
    const bool column = tmp.outer == OuterLayout::kColMajor;
    return bytes_of(tmp, column ? 2 * src.valid_rows : int64_t{src.valid_rows - 1} * tmp.pitch + 2);
}

// The number of the row; for f16 the best values, and the indices unless they have a separate tile
// (docs/isa/TCOLARGMAX.md: "tmp").
uint64_t scratch_of_column_argument(const Instruction& instruction) {
    const Tile& src = instruction.tile(1);
    const int64_t region = std::min(vector_lanes(src), round_up(int64_t{src.valid_cols}, block_lanes(src)));
    const int64_t regions = src.dtype != DType::kF16 ? 1 : has_values(instruction) ? 2 : 3;
    return bytes_of(src, regions * region);
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/reduce_argument.def"
}  // namespace ptosim::rows
