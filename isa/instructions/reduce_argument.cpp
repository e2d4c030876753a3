// Positions of the extremes of rows and columns: of equal elements the first one, and NaN only if
// there is nothing else.
#include "isa/instructions/reduce_argument_rules.h"
#include "isa/instructions/row.h"
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

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/reduce_argument.def"
}  // namespace ptosim::rows
