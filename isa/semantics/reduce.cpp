// Reductions, in increasing index order and rounded to the element type after each step.
#include <vector>

#include "isa/semantics/elementwise.h"

namespace ptosim::semantics {

namespace {

// The value of a reduction of one element: itself, with the canonical NaN.
template <typename T>
T first_lane(T value) {
    if constexpr (is_float_v<T>)
        return round_to<T>(to_float(value));
    else
        return value;
}

// dst(i, 0) = f(...f(f(src(i, 0), src(i, 1)), src(i, 2))...)
//
// The chains of a few rows run at the same time; each keeps its own order.
template <typename T, typename F>
void reduce_rows(const Execution& e, F&& f) {
    constexpr int kRows = 8;
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    alignas(64) T lanes[kRows][kChunk];
    for (int row = 0; row < from.valid_rows; row += kRows) {
        const int rows = std::min(kRows, from.valid_rows - row);
        T result[kRows]{};
        for (int col = 0; col < from.valid_cols; col += kChunk) {
            const int count = std::min(kChunk, from.valid_cols - col);
            for (int r = 0; r < rows; ++r)
                read_lanes(from, e.bytes[1], row + r, col, count, lanes[r]);
            int begin = 0;
            if (col == 0) {
                for (int r = 0; r < rows; ++r) result[r] = first_lane(lanes[r][0]);
                begin = 1;
            }
            if (rows == kRows) {
                for (int i = begin; i < count; ++i)
                    for (int r = 0; r < kRows; ++r) result[r] = f(result[r], lanes[r][i]);
            } else {
                for (int r = 0; r < rows; ++r)
                    for (int i = begin; i < count; ++i) result[r] = f(result[r], lanes[r][i]);
            }
        }
        for (int r = 0; r < rows; ++r) write_lane(to, e.bytes[0], row + r, 0, result[r]);
    }
}

// dst(0, j) = f(...f(f(src(0, j), src(1, j)), src(2, j))...)
template <typename T, typename F>
void reduce_columns(const Execution& e, F&& f) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    alignas(64) T lanes[kChunk];
    alignas(64) T result[kChunk];
    for (int col = 0; col < from.valid_cols; col += kChunk) {
        const int count = std::min(kChunk, from.valid_cols - col);
        for (int row = 0; row < from.valid_rows; ++row) {
            read_lanes(from, e.bytes[1], row, col, count, lanes);
            if (row == 0)
                for (int i = 0; i < count; ++i) result[i] = first_lane(lanes[i]);
            else
                for (int i = 0; i < count; ++i) result[i] = f(result[i], lanes[i]);
        }
        write_lanes(to, e.bytes[0], 0, col, count, result);
    }
}

template <typename F>
void rows(const Execution& e, F&& f) {
    visit_arithmetic(e.tile(1).dtype, [&](auto type) { reduce_rows<decltype(type)>(e, f); });
}
template <typename F>
void columns(const Execution& e, F&& f) {
    visit_arithmetic(e.tile(1).dtype, [&](auto type) { reduce_columns<decltype(type)>(e, f); });
}

// Pairs of neighbouring rows are added, then pairs of those sums, until one row is left; an odd
// last row is added to the first sum of its level (hw-native-sys/pto-isa
// include/pto/npu/a2a3/TColSum.hpp, BinarySum).
template <typename T>
T binary_sum(const Tile& from, const std::byte* base, int col, T* partial) {
    int count = from.valid_rows;
    for (int row = 0; row < count; ++row)
        partial[row] = first_lane(read_lane<T>(from, base, row, col));
    while (count > 1) {
        const T last = partial[count - 1];
        const bool odd = count % 2 == 1;
        for (int i = 0; i < count / 2; ++i)
            partial[i] = add_lane(partial[2 * i], partial[2 * i + 1]);
        if (odd) partial[0] = add_lane(partial[0], last);
        count /= 2;
    }
    return partial[0];
}

}  // namespace

void TROWSUM(const Execution& e) {
    rows(e, [](auto a, auto b) { return add_lane(a, b); });
}
void TROWPROD(const Execution& e) {
    rows(e, [](auto a, auto b) { return mul_lane(a, b); });
}
void TROWMAX(const Execution& e) {
    rows(e, [](auto a, auto b) { return max_lane(a, b); });
}
void TROWMIN(const Execution& e) {
    rows(e, [](auto a, auto b) { return min_lane(a, b); });
}
void TCOLPROD(const Execution& e) {
    columns(e, [](auto a, auto b) { return mul_lane(a, b); });
}
void TCOLMAX(const Execution& e) {
    columns(e, [](auto a, auto b) { return max_lane(a, b); });
}
void TCOLMIN(const Execution& e) {
    columns(e, [](auto a, auto b) { return min_lane(a, b); });
}

void TCOLSUM(const Execution& e) {
    if (!e.instruction.attributes.binary_tree) {
        columns(e, [](auto a, auto b) { return add_lane(a, b); });
        return;
    }
    const Tile& from = e.tile(1);
    visit_arithmetic(from.dtype, [&](auto type) {
        using T = decltype(type);
        thread_local std::vector<T> partial;
        partial.resize(static_cast<size_t>(from.valid_rows));
        for (int col = 0; col < from.valid_cols; ++col)
            write_lane(e.tile(0), e.bytes[0], 0, col,
                       binary_sum(from, e.bytes[1], col, partial.data()));
    });
}

}  // namespace ptosim::semantics
