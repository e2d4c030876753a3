#include "isa/semantics/row_reductions.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "isa/semantics/loop_kinds.h"
#include "isa/semantics/row_folds.h"
#include "isa/semantics/transpose_blocks.h"

namespace ptosim::semantics {

namespace {

// ---- rows, one element after the other

constexpr int kRows = 16;  // whose chains run at the same time; each keeps its own order
constexpr int kCols = 64;  // handled at a time

// Columns of kRows lanes become the steps of kRows chains.
template <typename T, HalfOperation kOperation>
void run_chains(const float* columns, int count, float* chains) {
    widest([=] {
        alignas(64) float now[kRows];
        for (int r = 0; r < kRows; ++r) now[r] = chains[r];
        for (int i = 0; i < count; ++i) {
#pragma GCC unroll 1  // one step of vectors
            for (int r = 0; r < kRows; ++r) {
                const float value = columns[i * kRows + r];
                now[r] = rounded<T>(kOperation == HalfOperation::kAdd ? add(now[r], value) : mul(now[r], value));
            }
        }
        for (int r = 0; r < kRows; ++r) chains[r] = now[r];
    });
}

// Sums and products of floats, rounded to the element type after each step.
void chain_rows(const Execution& e, HalfOperation operation) {
    const Tile &to = e.tile(0), &from = e.tile(1);
    const bool sum = operation == HalfOperation::kAdd;
    constexpr auto kAdd = HalfOperation::kAdd, kMul = HalfOperation::kMul;
    const auto run = from.dtype == DType::kF32   ? sum ? run_chains<float, kAdd> : run_chains<float, kMul>
                     : from.dtype == DType::kF16 ? sum ? run_chains<Half, kAdd> : run_chains<Half, kMul>
                                                 : sum ? run_chains<BFloat16, kAdd> : run_chains<BFloat16, kMul>;
    alignas(64) std::byte lanes[kCols * sizeof(float)];
    alignas(64) float wide[kRows][kCols]{};
    alignas(64) float columns[kCols][kRows];
    for (int row = 0; row < from.valid_rows; row += kRows) {
        const int rows = std::min(kRows, from.valid_rows - row);
        alignas(64) float chains[kRows]{};
        for (int col = 0; col < from.valid_cols; col += kCols) {
            const int count = std::min(kCols, from.valid_cols - col);
            for (int r = 0; r < rows; ++r) {
                read_line(from, e.bytes[1], row + r, col, count, bytes(from.dtype, 1), lanes);
                if (from.dtype == DType::kF32)
                    std::memcpy(wide[r], lanes, static_cast<size_t>(count) * sizeof(float));
                else
                    as_floats(from.dtype, lanes, wide[r], count);
            }
            for (int r = 0; r < rows; r += 4)
                for (int i = 0; i < count; i += 4)
                    transpose_block<uint32_t>(reinterpret_cast<const std::byte*>(&wide[r][i]), sizeof wide[0],
                                              reinterpret_cast<std::byte*>(&columns[i][r]), sizeof columns[0]);
            const int begin = col == 0 ? 1 : 0;
            if (begin == 1) std::copy_n(columns[0], kRows, chains);
            run(columns[begin], count - begin, chains);
        }
        for (int r = 0; r < rows; ++r) write_rounded(to, e.bytes[0], row + r, chains[r]);
    }
}

// Sums and products of rows of f32 and f16, computed in place in memory; returns false for other tiles.
bool fold_rows_in_place(const Execution& e, HalfOperation operation) {
    const Tile &to = e.tile(0), &from = e.tile(1);
    const bool half = from.dtype == DType::kF16;
    if (!contiguous_rows(from) || (from.dtype != DType::kF32 && !half) || from.valid_cols == 0) return false;
    const int64_t pitch = int64_t{from.pitch} * (half ? 2 : 4);
    float results[kFoldedTogether];
    for (int row = 0; row < from.valid_rows; row += kFoldedTogether) {
        const int count = std::min(kFoldedTogether, from.valid_rows - row);
        (half ? fold_half_rows : fold_rows)(operation, e.bytes[1] + row * pitch, pitch, count, from.valid_cols,
                                            results);
        for (int i = 0; i < count; ++i) {
            if (half)
                write_lane(to, e.bytes[0], row + i, 0, round_to_half(results[i]));
            else
                write_lane(to, e.bytes[0], row + i, 0, results[i]);
        }
    }
    return true;
}

// Sums and products of integers wrap: all orders give the same, and signs do not matter.
template <typename T, HalfOperation kOperation>
uint64_t reduce_run(const std::byte* lanes, int count, uint64_t start) {
    T result = static_cast<T>(start);
    const auto loop = [=, at = &result] {
        T now = *at;
        for (int i = 0; i < count; ++i) {
            const T lane = load<T>(lanes + i * int64_t{sizeof(T)});
            now = kOperation == HalfOperation::kAdd ? add_lane(now, lane) : mul_lane(now, lane);
        }
        *at = now;
    };
    if constexpr (is_hot_v<T>)
        widest(loop);
    else
        loop();
    return result;
}

template <HalfOperation kOperation>
void combine_rows(const Execution& e) {
    const Tile &to = e.tile(0), &from = e.tile(1);
    visit_bits(from.dtype, [&](auto type) {
        using T = decltype(type);
        alignas(64) std::byte lanes[kChunk * sizeof(T)];
        for (int row = 0; row < from.valid_rows; ++row) {
            uint64_t result = kOperation == HalfOperation::kMul && from.valid_cols != 0 ? 1 : 0;
            if (contiguous_rows(from))
                result = reduce_run<T, kOperation>(e.bytes[1] + from.index(row, 0) * int64_t{sizeof(T)},
                                                   from.valid_cols, result);
            else
                for (int col = 0; col < from.valid_cols; col += kChunk) {
                    const int count = std::min(kChunk, from.valid_cols - col);
                    read_line(from, e.bytes[1], row, col, count, sizeof(T), lanes);
                    result = reduce_run<T, kOperation>(lanes, count, result);
                }
            write_lane(to, e.bytes[0], row, 0, static_cast<T>(result));
        }
    });
}

}  // namespace

void reduce_rows(const Execution& e, HalfOperation operation) {
    if (is_integer(e.tile(1).dtype))
        (operation == HalfOperation::kAdd ? combine_rows<HalfOperation::kAdd> : combine_rows<HalfOperation::kMul>)(e);
    else if (!fold_rows_in_place(e, operation))
        chain_rows(e, operation);
}

// ---- extremes: the order of elements does not matter

namespace {

// Integer keys in the order of the values, so that the greatest key is the result (the greatest value, or the least,
// with all bits of keys inverted by `flip`). A NaN has the least key or the greatest one: it never wins, or always.
template <typename T>
struct Rank {
    using Key = std::conditional_t<std::is_same_v<T, float>, int32_t, std::conditional_t<is_float_v<T>, int16_t, T>>;
    static constexpr Key kLeast = std::numeric_limits<Key>::min();
    static constexpr Key kMost = std::numeric_limits<Key>::max();

    // Bits of negative floats count away from zero, so they are inverted.
    static Key turned(Key key) { return static_cast<Key>(key ^ ((key >> (8 * sizeof(Key) - 1)) & kMost)); }

    static Key of(Key raw, Key flip, [[maybe_unused]] Key nan) {
        if constexpr (is_float_v<T>) {
            constexpr Key kInfinity = std::is_same_v<T, float> ? 0x7F800000 : std::is_same_v<T, Half> ? 0x7C00 : 0x7F80;
            return static_cast<Key>(raw & kMost) > kInfinity ? nan : static_cast<Key>(turned(raw) ^ flip);
        } else {
            return static_cast<Key>(raw ^ flip);
        }
    }
    static T value(Key key, Key flip) {
        if constexpr (is_float_v<T>) {
            if (key == kLeast || key == kMost) return round_to<T>(std::numeric_limits<float>::quiet_NaN());
            return std::bit_cast<T>(turned(static_cast<Key>(key ^ flip)));
        } else {
            return static_cast<Key>(key ^ flip);
        }
    }
};

// The greatest rank of `count` elements, and `rank`.
template <typename T, bool kGreatest>
void raise_rank(const std::byte* lanes, int count, typename Rank<T>::Key nan,
                typename Rank<T>::Key* rank) {
    using Key = typename Rank<T>::Key;
    constexpr auto flip = static_cast<Key>(kGreatest ? 0 : ~Key{0});
    const auto loop = [=] {
        auto most = *rank;
        for (int i = 0; i < count; ++i) {
            const auto key = Rank<T>::of(load<Key>(lanes + i * sizeof(T)), flip, nan);
            most = key > most ? key : most;
        }
        *rank = most;
    };
    if constexpr (is_hot_v<T>)
        widest(loop);
    else
        loop();
}

template <typename T>
void extremes_of_rows(const Execution& e, bool greatest) {
    using Key = typename Rank<T>::Key;
    const Tile &to = e.tile(0), &from = e.tile(1);
    const auto flip = static_cast<Key>(greatest ? 0 : ~Key{0});
    const auto nan = e.numerics == Numerics::kIEEE ? Rank<T>::kLeast : Rank<T>::kMost;
    alignas(64) std::byte lanes[kChunk * sizeof(T)];
    Key ranks[kRows];
    const auto raise = greatest ? raise_rank<T, true> : raise_rank<T, false>;
    for (int row = 0; row < from.valid_rows; row += kRows) {
        const int count = std::min(kRows, from.valid_rows - row);
        for (int i = 0; i < count; ++i) {
            ranks[i] = Rank<T>::kLeast;
            const std::byte* const line = e.bytes[1] + from.index(row + i, 0) * int64_t{sizeof(T)};
            if (contiguous_rows(from)) {
                raise(line, from.valid_cols, nan, &ranks[i]);
                continue;
            }
            for (int col = 0; col < from.valid_cols; col += kChunk) {
                const int some = std::min(kChunk, from.valid_cols - col);
                read_line(from, e.bytes[1], row + i, col, some, sizeof(T), lanes);
                raise(lanes, some, nan, &ranks[i]);
            }
        }
        for (int i = 0; i < count; ++i)
            write_lane(to, e.bytes[0], row + i, 0, from.valid_cols == 0 ? zero<T>() : Rank<T>::value(ranks[i], flip));
    }
}

}  // namespace

void extremes_of_rows(const Execution& e, bool greatest) {
    visit_arithmetic(e.tile(1).dtype, [&](auto type) { extremes_of_rows<decltype(type)>(e, greatest); });
}

}  // namespace ptosim::semantics
