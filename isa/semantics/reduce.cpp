// Reductions, in increasing index order and rounded to the element type after each step.
#include <bit>
#include <vector>

#include "isa/semantics/elementwise.h"
#include "isa/semantics/turn.h"

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

// What sums and maxima are kept in between two steps: floats hold every value of 16-bit floats.
template <typename T>
using Running = std::conditional_t<is_float_v<T>, float, T>;

// A canonical value as the nearest one of T: round_to_half() without its change of format.
template <typename T>
Running<T> rounded(Running<T> value) {
    if constexpr (std::is_same_v<T, Half>) {
        const uint32_t raw = std::bit_cast<uint32_t>(value);
        const uint32_t magnitude = raw & 0x7FFFFFFFu;
        const uint32_t even = (magnitude >> 13) & 1u;
        const uint32_t normal = (magnitude + 0x0FFFu + even) & ~0x1FFFu;
        const uint32_t subnormal =
            std::bit_cast<uint32_t>((std::bit_cast<float>(magnitude) + 0.5F) - 0.5F);
        uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
        result = magnitude >= 0x477FF000u ? 0x7F800000u : result;  // 65520 and more
        result = magnitude > 0x7F800000u ? kCanonicalNanF32 : result;
        return std::bit_cast<float>(result | (raw & 0x80000000u));
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        return to_float(round_to_bfloat16(value));
    } else {
        return value;
    }
}

constexpr int kRows = 16;  // whose chains run at the same time; each keeps its own order
constexpr int kCols = 64;  // handled at a time

// Columns of kRows lanes become the steps of kRows chains.
template <typename T, typename F>
void run_chains(const Running<T>* columns, int count, Running<T>* chains, F f) {
    const auto run = [=] {
        alignas(64) Running<T> now[kRows];
        for (int r = 0; r < kRows; ++r) now[r] = chains[r];
        for (int i = 0; i < count; ++i) {
#pragma GCC unroll 1  // one step of vectors
            for (int r = 0; r < kRows; ++r) now[r] = rounded<T>(f(now[r], columns[i * kRows + r]));
        }
        for (int r = 0; r < kRows; ++r) chains[r] = now[r];
    };
    if constexpr (is_hot_v<T>)
        widest(run);
    else
        run();
}

// Rows [0, rows) of `lanes`, up to column `count`, as columns of kRows lanes.
template <typename T>
void turn_rows(const T (&lanes)[kRows][kCols], int rows, int count, T (&columns)[kCols][kRows]) {
    if constexpr (sizeof(T) == 8) {
        for (int r = 0; r < rows; ++r)
            for (int i = 0; i < count; ++i) columns[i][r] = lanes[r][i];
    } else {
        using Bits = std::conditional_t<sizeof(T) == 4, uint32_t,
                                        std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>;
        constexpr int kSide = 16 / sizeof(T);
        for (int r = 0; r < rows; r += kSide)
            for (int i = 0; i < count; i += kSide)
                turn_block<Bits>(reinterpret_cast<const std::byte*>(&lanes[r][i]), sizeof lanes[0],
                                 reinterpret_cast<std::byte*>(&columns[i][r]), sizeof columns[0]);
    }
}

// dst(i, 0) = f(...f(f(src(i, 0), src(i, 1)), src(i, 2))...)
template <typename T, typename F>
void reduce_rows(const Execution& e, F f) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    alignas(64) T lanes[kRows][kCols]{};
    alignas(64) T columns[kCols][kRows]{};
    alignas(64) Running<T> wide[kCols][kRows];
    for (int row = 0; row < from.valid_rows; row += kRows) {
        const int rows = std::min(kRows, from.valid_rows - row);
        alignas(64) Running<T> chains[kRows]{};
        for (int col = 0; col < from.valid_cols; col += kCols) {
            const int count = std::min(kCols, from.valid_cols - col);
            for (int r = 0; r < rows; ++r)
                read_lanes(from, e.bytes[1], row + r, col, count, lanes[r]);
            turn_rows(lanes, rows, count, columns);
            const Running<T>* steps = &wide[0][0];
            if constexpr (std::is_same_v<T, Half>)
                widen(&columns[0][0], &wide[0][0], count * kRows);
            else if constexpr (std::is_same_v<T, Running<T>>)
                steps = &columns[0][0];
            else
                for (int i = 0; i < count; ++i)
                    for (int r = 0; r < kRows; ++r) wide[i][r] = to_float(columns[i][r]);
            const int begin = col == 0 ? 1 : 0;
            if (begin == 1)
                for (int r = 0; r < kRows; ++r) chains[r] = first_lane(steps[r]);
            run_chains<T>(steps + begin * kRows, count - begin, chains, f);
        }
        for (int r = 0; r < rows; ++r) {
            if constexpr (is_float_v<T>)
                write_lane(to, e.bytes[0], row + r, 0, round_to<T>(chains[r]));
            else
                write_lane(to, e.bytes[0], row + r, 0, chains[r]);
        }
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
