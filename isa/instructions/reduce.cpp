// Reductions, rounded to the element type after each step: in increasing index order, or in the
// order that a profile has.
#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "isa/instructions/reduce_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/elementwise.h"
#include "isa/semantics/reduction_trees.h"
#include "isa/semantics/row_folds.h"
#include "isa/semantics/transpose_blocks.h"
#include "isa/table/folded_rows.h"

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

// Type of sums and maxima between two steps: float represents every 16-bit float.
template <typename T>
using Running = std::conditional_t<is_float_v<T>, float, T>;

// A value as the nearest one of T.
template <typename T>
Running<T> rounded(Running<T> value) {
    if constexpr (std::is_same_v<T, Half>) {
        return rounded_to_half(value);
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
void transpose_rows(const T (&lanes)[kRows][kCols], int rows, int count, T (&columns)[kCols][kRows]) {
    if constexpr (sizeof(T) == 8) {
        for (int r = 0; r < rows; ++r)
            for (int i = 0; i < count; ++i) columns[i][r] = lanes[r][i];
    } else {
        using Bits = std::conditional_t<sizeof(T) == 4, uint32_t,
                                        std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>;
        constexpr int kSide = 16 / sizeof(T);
        for (int r = 0; r < rows; r += kSide)
            for (int i = 0; i < count; i += kSide)
                transpose_block<Bits>(reinterpret_cast<const std::byte*>(&lanes[r][i]), sizeof lanes[0],
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
            transpose_rows(lanes, rows, count, columns);
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
    if (from.valid_rows == 0) return;
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

// ---- extremes: the order of elements does not matter

// Integer keys in the order of the values, so that the greatest key is the result (the greatest value, or the least). A
// NaN has the least key or the greatest one: it never wins, or always.
template <typename T, bool kGreatest>
struct Rank {
    using Key = std::conditional_t<std::is_same_v<T, float>, int32_t, std::conditional_t<is_float_v<T>, int16_t, T>>;
    static constexpr Key kLeast = std::numeric_limits<Key>::min();
    static constexpr Key kMost = std::numeric_limits<Key>::max();

    // Bits of negative floats count away from zero, so they are inverted.
    static Key turned(Key key) { return static_cast<Key>(key ^ ((key >> (8 * sizeof(Key) - 1)) & kMost)); }
    static Key directed(Key key) { return static_cast<Key>(kGreatest ? key : ~key); }

    static Key of(Key raw, [[maybe_unused]] Key nan) {
        if constexpr (is_float_v<T>) {
            constexpr Key kInfinity = std::is_same_v<T, float> ? 0x7F800000 : std::is_same_v<T, Half> ? 0x7C00 : 0x7F80;
            return static_cast<Key>(raw & kMost) > kInfinity ? nan : directed(turned(raw));
        } else {
            return directed(raw);
        }
    }
    static T value(Key key) {
        if constexpr (is_float_v<T>) {
            if (key == kLeast || key == kMost) return round_to<T>(std::numeric_limits<float>::quiet_NaN());
            return std::bit_cast<T>(turned(directed(key)));
        } else {
            return directed(key);
        }
    }
};

// The greatest rank of `count` elements, and `rank`.
template <typename T, bool kGreatest>
void raise_rank(const std::byte* lanes, int count, typename Rank<T, kGreatest>::Key nan,
                typename Rank<T, kGreatest>::Key* rank) {
    using Ranks = Rank<T, kGreatest>;
    const auto loop = [=] {
        auto most = *rank;
        for (int i = 0; i < count; ++i) {
            const auto key = Ranks::of(load<typename Ranks::Key>(lanes + i * sizeof(T)), nan);
            most = key > most ? key : most;
        }
        *rank = most;
    };
    if constexpr (is_hot_v<T>)
        widest(loop);
    else
        loop();
}

template <typename T, bool kGreatest>
void extremes_of_rows(const Execution& e) {
    using Ranks = Rank<T, kGreatest>;
    const Tile &to = e.tile(0), &from = e.tile(1);
    const auto nan = e.numerics == Numerics::kIEEE ? Ranks::kLeast : Ranks::kMost;
    alignas(64) T lanes[kChunk];
    typename Ranks::Key ranks[kRows];
    for (int row = 0; row < from.valid_rows; row += kRows) {
        const int count = std::min(kRows, from.valid_rows - row);
        for (int i = 0; i < count; ++i) {
            ranks[i] = Ranks::kLeast;
            const std::byte* const line = e.bytes[1] + from.index(row + i, 0) * int64_t{sizeof(T)};
            if (contiguous_rows(from)) {
                raise_rank<T, kGreatest>(line, from.valid_cols, nan, &ranks[i]);
                continue;
            }
            for (int col = 0; col < from.valid_cols; col += kChunk) {
                const int some = std::min(kChunk, from.valid_cols - col);
                read_lanes(from, e.bytes[1], row + i, col, some, lanes);
                raise_rank<T, kGreatest>(reinterpret_cast<const std::byte*>(lanes), some, nan, &ranks[i]);
            }
        }
        for (int i = 0; i < count; ++i) write_lane(to, e.bytes[0], row + i, 0, from.valid_cols == 0 ? zero<T>() : Ranks::value(ranks[i]));
    }
}

template <bool kGreatest>
void extremes_of_rows(const Execution& e) {
    visit_arithmetic(e.tile(1).dtype, [&](auto type) { extremes_of_rows<decltype(type), kGreatest>(e); });
}

template <typename F>
void rows(const Execution& e, F&& f) {
    visit_arithmetic(e.tile(1).dtype, [&](auto type) { reduce_rows<decltype(type)>(e, f); });
}
template <typename F>
void columns(const Execution& e, F&& f) {
    visit_arithmetic(e.tile(1).dtype, [&](auto type) { reduce_columns<decltype(type)>(e, f); });
}

// True if sums and products go the ways of a profile: of integers, all ways give the same.
bool has_order(const Execution& e) {
    return e.numerics != Numerics::kIEEE && !is_integer(e.tile(1).dtype);
}

// dst(i, 0) = order(row i of src, its length). There is room for whole vectors of 256 bytes.
template <typename T, typename Order>
void rows_in_order(const Execution& e, Order order) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    thread_local std::vector<T> read;
    thread_local std::vector<Running<T>> lanes;
    const auto count = static_cast<size_t>(from.valid_cols);
    read.resize(count);
    lanes.resize(count + 256 / sizeof(T));
    for (int row = 0; row < from.valid_rows; ++row) {
        read_lanes(from, e.bytes[1], row, 0, from.valid_cols, read.data());
        for (size_t i = 0; i < count; ++i) lanes[i] = to_float(first_lane(read[i]));
        write_lane(to, e.bytes[0], row, 0, round_to<T>(order(lanes.data(), from.valid_cols)));
    }
}

// The steps of a sum of rows on a2a3, if its shape has special ones. Tiles are assumed to have the valid regions of
// their types.
std::string_view steps_of(const Tile& to, const Tile& from) {
    const bool column = !to.boxed() && to.outer == OuterLayout::kColMajor && to.valid_cols == 1;
    if (!column || from.dtype != DType::kF32) return {};
    for (const FoldedRows& sum : kFoldedRows)
        if (from.rows == sum.rows && from.valid_rows == sum.rows && from.cols == sum.cols &&
            from.valid_cols == sum.cols)
            return sum.steps;
    return {};
}

template <typename T>
void sum_rows_in_order(const Execution& e) {
    constexpr int kVector = 256 / sizeof(T);
    const auto add = [](float a, float b) { return rounded<T>(add_lane(a, b)); };
    const std::string_view steps = steps_of(e.tile(0), e.tile(1));
    rows_in_order<T>(e, [&](float* lanes, int count) {
        if (is_a5(e.numerics)) return combine_in_vectors(lanes, count, kVector, 0.0F, add);
        return steps.empty() ? combine_vectors(lanes, count, kVector, add)
                             : combine_by_steps(lanes, count, steps, add);
    });
}

// On a2a3, the lanes of a block in f32, one after the other.
template <typename T>
void multiply_rows_in_order(const Execution& e) {
    constexpr int kVector = 256 / sizeof(T), kBlock = 32 / sizeof(T);
    const auto multiply = [](float a, float b) { return rounded<T>(mul_lane(a, b)); };
    rows_in_order<T>(e, [&](float* lanes, int count) {
        stack_vectors(lanes, count, is_a5(e.numerics) ? kVector : kBlock, 1.0F, multiply);
        if (is_a5(e.numerics)) return combine_halves(lanes, kVector, multiply);
        float product = lanes[0];
        for (int i = 1; i < kBlock; ++i) product = mul_lane(product, lanes[i]);
        return product;
    });
}

// On a5, the first row, and on it the results of two rows each.
template <typename T, typename F>
void columns_by_pairs(const Execution& e, F f) {
    const Tile& from = e.tile(1);
    if (from.valid_rows == 0) return;
    alignas(64) T result[kChunk], one[kChunk], other[kChunk];
    for (int col = 0; col < from.valid_cols; col += kChunk) {
        const int count = std::min(kChunk, from.valid_cols - col);
        read_lanes(from, e.bytes[1], 0, col, count, result);
        for (int i = 0; i < count; ++i) result[i] = first_lane(result[i]);
        for (int row = 1; row < from.valid_rows; row += 2) {
            read_lanes(from, e.bytes[1], row, col, count, one);
            if (row + 1 < from.valid_rows) {
                read_lanes(from, e.bytes[1], row + 1, col, count, other);
                for (int i = 0; i < count; ++i) one[i] = f(one[i], other[i]);
            }
            for (int i = 0; i < count; ++i) result[i] = f(result[i], one[i]);
        }
        write_lanes(e.tile(0), e.bytes[0], 0, col, count, result);
    }
}

// Sums and products of columns: row after row, or as the profile a5 has it.
template <typename F>
void columns_in_order(const Execution& e, F f) {
    if (has_order(e) && e.numerics == Numerics::kA5)
        visit_float(e.tile(1).dtype, [&](auto type) { columns_by_pairs<decltype(type)>(e, f); });
    else
        columns(e, f);
}

constexpr int kVectorBytes = 256;
int lanes_of_vector(const Tile& tile) {
    return static_cast<int>(kVectorBytes * 8 / bits(tile.dtype));
}

// True if the row reductions of a tile are made by folding blocks, one row after the other.
bool is_folded(const Tile& tile) {
    return tile.dtype == DType::kF32 && tile.valid_rows == tile.rows &&
           tile.valid_cols == tile.cols &&
           std::any_of(kFoldedRows.begin(), kFoldedRows.end(), [&](const FoldedRows& shape) {
               return shape.rows == tile.rows && shape.cols == tile.cols;
           });
}

// Row reductions as instructions over all rows, which keep partial results in scratch (hw-native-sys/pto-isa
// include/pto/npu/a2a3/TRowReduceOps.hpp, TRowReduceInstr). Each goes from row to row. `all_pairs`: each pair of
// vectors of a row initially has a separate result.
template <typename T, typename F>
void rows_in_scratch(const Execution& e, bool all_pairs, F f) {
    const Tile &from = e.tile(1), &tmp = e.tile(2);
    const int lanes = lanes_of_vector(from), vectors = from.valid_cols / lanes;
    if (vectors < 2 && tmp.pitch < lanes) return;
    const int pairs = all_pairs ? std::max(1, vectors / 2) : 1;
    const auto source = [&](int row, int col) {
        return first_lane(read_lane<T>(from, e.bytes[1], row, col));
    };
    const auto partial = [&](int row, int lane) {
        return e.bytes[2] + (int64_t{row} * tmp.pitch + lane) * int64_t{sizeof(T)};
    };
    const auto each = [&](int vector, int count, auto&& value) {
        for (int row = 0; row < from.valid_rows; ++row)
            for (int i = vector * lanes; i < vector * lanes + count; ++i)
                store(partial(row, i), value(row, i, i - vector * lanes));
    };
    const auto old = [&](int row, int lane) { return load<T>(partial(row, lane)); };
    const auto add = [&](int first, int count) {  // to the first vector of partial results
        each(0, count, [&](int row, int i, int) { return f(old(row, i), source(row, first + i)); });
    };
    for (int p = 0; p < pairs; ++p)
        each(p, lanes, [&](int row, int, int lane) {
            const T one = source(row, 2 * p * lanes + lane);
            return vectors < 2 ? one : f(one, source(row, (2 * p + 1) * lanes + lane));
        });
    if (all_pairs && vectors % 2 != 0 && vectors > 2) add((vectors - 1) * lanes, lanes);
    if (from.valid_cols % lanes != 0) add(vectors * lanes, from.valid_cols % lanes);
    for (int vector = 2; !all_pairs && vector < vectors; ++vector) add(vector * lanes, lanes);
    for (int left = pairs; left > 1; left /= 2) {
        for (int p = 0; p < left / 2; ++p)
            each(p, lanes, [&](int row, int, int lane) {
                return f(old(row, 2 * p * lanes + lane), old(row, (2 * p + 1) * lanes + lane));
            });
        if (left % 2 != 0)
            each(left / 2 - 1, lanes, [&](int row, int i, int lane) {
                return f(old(row, i), old(row, (left - 1) * lanes + lane));
            });
    }
    for (int row = 0; row < from.valid_rows; ++row) {
        T result = old(row, 0);
        for (int i = 1; i < lanes; ++i) result = f(result, old(row, i));
        write_lane(e.tile(0), e.bytes[0], row, 0, result);
    }
}

// Pairs of neighbouring rows are added, then pairs of those sums, until one row is left; an odd
// last row is added to the first sum of its level, on a5 to the last (hw-native-sys/pto-isa
// include/pto/npu/a2a3/TColSum.hpp, BinarySum; a5/TColSum.hpp, TColSum_Binary).
template <typename T>
T binary_sum(const Execution& e, int col, T* partial) {
    const Tile& from = e.tile(1);
    int count = from.valid_rows;
    for (int row = 0; row < count; ++row)
        partial[row] = first_lane(read_lane<T>(from, e.bytes[1], row, col));
    while (count > 1) {
        const T last = partial[count - 1];
        const bool odd = count % 2 == 1;
        for (int i = 0; i < count / 2; ++i)
            partial[i] = add_lane(partial[2 * i], partial[2 * i + 1]);
        count /= 2;
        T& with = partial[has_order(e) && is_a5(e.numerics) ? count - 1 : 0];
        if (odd) with = add_lane(with, last);
    }
    return partial[0];
}

}  // namespace

void TROWSUM(const Execution& e) {
    if (has_order(e))
        return visit_float(e.tile(1).dtype,
                           [&](auto type) { sum_rows_in_order<decltype(type)>(e); });
    if (!fold_rows_in_place(e, HalfOperation::kAdd)) rows(e, [](auto a, auto b) { return add_lane(a, b); });
}
void TROWPROD(const Execution& e) {
    if (has_order(e))
        return visit_float(e.tile(1).dtype,
                           [&](auto type) { multiply_rows_in_order<decltype(type)>(e); });
    if (!fold_rows_in_place(e, HalfOperation::kMul)) rows(e, [](auto a, auto b) { return mul_lane(a, b); });
}
void TROWMAX(const Execution& e) { extremes_of_rows<true>(e); }
void TROWMIN(const Execution& e) { extremes_of_rows<false>(e); }
void TCOLPROD(const Execution& e) {
    columns_in_order(e, [](auto a, auto b) { return mul_lane(a, b); });
}
void TCOLMAX(const Execution& e) { columns(e, Greatest{e.numerics}); }
void TCOLMIN(const Execution& e) { columns(e, Least{e.numerics}); }

void TCOLSUM(const Execution& e) {
    if (!e.instruction.attributes.binary_tree) {
        columns_in_order(e, [](auto a, auto b) { return add_lane(a, b); });
        return;
    }
    const Tile& from = e.tile(1);
    if (from.valid_rows == 0) return;
    visit_arithmetic(from.dtype, [&](auto type) {
        using T = decltype(type);
        thread_local std::vector<T> partial;
        partial.resize(static_cast<size_t>(from.valid_rows));
        for (int col = 0; col < from.valid_cols; ++col)
            write_lane(e.tile(0), e.bytes[0], 0, col, binary_sum(e, col, partial.data()));
    });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// A block of lanes, to which the blocks of each row are added (hw-native-sys/pto-isa
// docs/isa/TROWSUM.md and TROWPROD.md: "tmp").
uint64_t scratch_of_block(const Instruction&) { return 32; }

// Floats of rows longer than one vector: as many vectors for each row as its pairs make, of which
// sums keep all and maxima one (hw-native-sys/pto-isa include/pto/npu/a2a3/TRowReduceOps.hpp,
// TRowReduceInstr; TRowSum.hpp, FillTmp).
uint64_t scratch_row_of_rows(const Instruction& instruction) {
    const Tile& src = instruction.tile(1);
    const int lanes = lanes_of_vector(src);
    if (is_integer(src.dtype) || src.valid_cols <= lanes || is_folded(src)) return 0;
    const bool keeps_all = instruction.opcode == Opcode::kTROWSUM;
    const int pairs = keeps_all ? std::max(1, src.valid_cols / lanes / 2) : 1;
    return static_cast<uint64_t>(pairs) * kVectorBytes;
}
uint64_t scratch_of_rows(const Instruction& instruction) {
    const Tile &src = instruction.tile(1), &tmp = instruction.tile(2);
    if (is_integer(src.dtype)) return scratch_of_block(instruction);
    // One element of each block of eight.
    if (is_folded(src)) return bytes(src.dtype, static_cast<size_t>(src.rows * src.cols / 8));
    const uint64_t row = scratch_row_of_rows(instruction);
    if (row == 0 || src.valid_rows == 0) return 0;
    return bytes(tmp.dtype, static_cast<size_t>(int64_t{src.valid_rows - 1} * tmp.pitch)) + row;
}

// The sums of pairs of rows (docs/isa/TCOLSUM.md, a2a3/TColSum.hpp, BinarySum).
uint64_t scratch_row_of_column_tree(const Instruction& instruction) {
    const Tile& src = instruction.tile(1);
    if (!instruction.attributes.binary_tree || src.valid_rows < 2) return 0;
    return bytes(src.dtype, static_cast<size_t>(src.valid_cols));
}
uint64_t scratch_of_column_tree(const Instruction& instruction) {
    const Tile &src = instruction.tile(1), &tmp = instruction.tile(2);
    const uint64_t row = scratch_row_of_column_tree(instruction);
    if (row == 0) return 0;
    return bytes(tmp.dtype, static_cast<size_t>(int64_t{src.valid_rows / 2 - 1} * tmp.pitch)) + row;
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/{TRowReduceOps,TColReduceOps,TColSum}.hpp. Rows of up to one vector go to
// dst row by row, longer ones through scratch. Columns: the first row goes to dst, and the others are added to it.
bool is_reduced_by_row(const Instruction& instruction) {
    return instruction.tile(1).valid_cols <= lanes_of_vector(instruction.tile(1));
}
bool is_added_in_order(const Instruction& instruction) {
    return instruction.tile(1).valid_rows > 1 && !instruction.attributes.binary_tree;
}
bool adds_in_order(const Instruction& instruction, Arch) { return !instruction.attributes.binary_tree; }
constexpr EarlyWrite kScratchOverSource{2, 1, EarlyWrite::Unless::kSameElements};
constexpr std::array kRowWrites{
    EarlyWrite{0, 1, EarlyWrite::Unless::kSameAddress, is_reduced_by_row}, kScratchOverSource};
constexpr std::array kColumnWrites{
    EarlyWrite{0, 1, EarlyWrite::Unless::kSameAddress, is_added_in_order}};
constexpr std::array kColumnTreeWrites{kColumnWrites[0], kScratchOverSource};

// With too little scratch, the rows of partial results overlap, in it or beyond it. Rows of fewer than two vectors are
// not reduced at all if the rows of the scratch are shorter than a vector.
void reduce_in_scratch(const Execution& e) {
    const Tile& src = e.tile(1);
    if (is_integer(src.dtype) || is_folded(src)) return info(e.instruction.opcode).semantics(e);
    visit_float(src.dtype, [&](auto type) {
        using T = decltype(type);
        const Opcode opcode = e.instruction.opcode;
        if (opcode == Opcode::kTROWSUM)
            rows_in_scratch<T>(e, true, [](T a, T b) { return add_lane(a, b); });
        else if (opcode == Opcode::kTROWMAX)
            rows_in_scratch<T>(e, false, Greatest{e.numerics});
        else
            rows_in_scratch<T>(e, false, Least{e.numerics});
    });
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/reduce.def"
}  // namespace ptosim::rows
