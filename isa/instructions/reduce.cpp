// Reductions, rounded to the element type after each step: in increasing index order, or in the
// order that a profile has.
#include <algorithm>
#include <vector>

#include "isa/instructions/reduce_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/loop_kinds.h"
#include "isa/semantics/reduction_trees.h"
#include "isa/semantics/row_reductions.h"
#include "isa/semantics/walks.h"
#include "isa/table/folded_rows.h"

namespace ptosim::semantics {

namespace {

// The value of a reduction of one element: itself, with the canonical NaN.
void make_canonical(DType type, std::byte* lanes, int64_t count) {
    const auto each = [&](auto lane) {
        using T = decltype(lane);
        for (size_t at = 0; at < static_cast<size_t>(count) * sizeof(T); at += sizeof(T))
            store(lanes + at, round_to<T>(to_float(load<T>(lanes + at))));
    };
    if (!is_integer(type)) visit_float(type, each);
}

// ---- columns

// dst(0, j) = f(...f(f(src(0, j), src(1, j)), src(2, j))...)
void columns(const Execution& e, const BinaryLoops& loops) {
    const Tile& from = e.tile(1);
    if (from.valid_rows == 0) return;
    const BinaryLoop loop = loops[from.dtype];
    const size_t width = bytes(from.dtype, 1);
    alignas(64) std::byte lanes[kChunk * kMostBytes], result[kChunk * kMostBytes];
    for (int col = 0; col < from.valid_cols; col += kChunk) {
        const int count = std::min(kChunk, from.valid_cols - col);
        read_line(from, e.bytes[1], 0, col, count, width, result);
        make_canonical(from.dtype, result, count);
        for (int row = 1; row < from.valid_rows; ++row) {
            if (contiguous_rows(from)) {
                loop(result, e.bytes[1] + from.index(row, col) * static_cast<int64_t>(width), result, count);
                continue;
            }
            read_line(from, e.bytes[1], row, col, count, width, lanes);
            loop(result, lanes, result, count);
        }
        write_line(e.tile(0), e.bytes[0], 0, col, count, width, result);
    }
}

// ---- the orders of profiles

// True if sums and products go the ways of a profile: of integers, all ways give the same.
bool has_order(const Execution& e) {
    return e.numerics != Numerics::kIEEE && !is_integer(e.tile(1).dtype);
}

// dst(i, 0) = order(row i of src, its length). There is room for whole vectors of 256 bytes.
void rows_in_order(const Execution& e, FunctionRef<float(float* lanes, int count)> order) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    thread_local std::vector<std::byte> read;
    thread_local std::vector<float> lanes;
    const auto count = static_cast<size_t>(from.valid_cols);
    const size_t width = bytes(from.dtype, 1);
    read.resize(count * width);
    lanes.resize(count + 256 / width);
    for (int row = 0; row < from.valid_rows; ++row) {
        read_line(from, e.bytes[1], row, 0, from.valid_cols, width, read.data());
        if (from.dtype == DType::kF32)
            std::memcpy(lanes.data(), read.data(), read.size());
        else
            as_floats(from.dtype, read.data(), lanes.data(), from.valid_cols);
        write_rounded(to, e.bytes[0], row, order(lanes.data(), from.valid_cols));
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
    rows_in_order(e, [&](float* lanes, int count) {
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
    rows_in_order(e, [&](float* lanes, int count) {
        stack_vectors(lanes, count, is_a5(e.numerics) ? kVector : kBlock, 1.0F, multiply);
        if (is_a5(e.numerics)) return combine_halves(lanes, kVector, multiply);
        float product = lanes[0];
        for (int i = 1; i < kBlock; ++i) product = mul_lane(product, lanes[i]);
        return product;
    });
}

// On a5, the first row, and on it the results of two rows each.
void columns_by_pairs(const Execution& e, const BinaryLoops& loops) {
    const Tile& from = e.tile(1);
    if (from.valid_rows == 0) return;
    const BinaryLoop loop = loops[from.dtype];
    const size_t width = bytes(from.dtype, 1);
    alignas(64) std::byte result[kChunk * 4], one[kChunk * 4], other[kChunk * 4];
    for (int col = 0; col < from.valid_cols; col += kChunk) {
        const int count = std::min(kChunk, from.valid_cols - col);
        read_line(from, e.bytes[1], 0, col, count, width, result);
        make_canonical(from.dtype, result, count);
        for (int row = 1; row < from.valid_rows; row += 2) {
            read_line(from, e.bytes[1], row, col, count, width, one);
            if (row + 1 < from.valid_rows) {
                read_line(from, e.bytes[1], row + 1, col, count, width, other);
                loop(one, other, one, count);
            }
            loop(result, one, result, count);
        }
        write_line(e.tile(0), e.bytes[0], 0, col, count, width, result);
    }
}

// Sums and products of columns: row after row, or as the profile a5 has it.
void columns_in_order(const Execution& e, const BinaryLoops& loops) {
    if (has_order(e) && e.numerics == Numerics::kA5)
        columns_by_pairs(e, loops);
    else
        columns(e, loops);
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
void rows_in_scratch(const Execution& e, bool all_pairs, const BinaryLoops& loops) {
    const Tile &from = e.tile(1), &tmp = e.tile(2);
    const BinaryLoop loop = loops[from.dtype];
    const size_t width = bytes(from.dtype, 1);
    const int lanes = lanes_of_vector(from), vectors = from.valid_cols / lanes;
    if (vectors < 2 && tmp.pitch < lanes) return;
    const int pairs = all_pairs ? std::max(1, vectors / 2) : 1;
    alignas(64) std::byte source[kVectorBytes], other[kVectorBytes];
    const auto read = [&](int row, int col, int count, std::byte* to) {
        read_line(from, e.bytes[1], row, col, count, width, to);
        make_canonical(from.dtype, to, count);
    };
    const auto partial = [&](int row, int lane) {
        return e.bytes[2] + (int64_t{row} * tmp.pitch + lane) * static_cast<int64_t>(width);
    };
    const auto add = [&](int first, int count) {  // to the first vector of partial results
        for (int row = 0; row < from.valid_rows; ++row) {
            read(row, first, count, source);
            loop(partial(row, 0), source, partial(row, 0), count);
        }
    };
    for (int p = 0; p < pairs; ++p)
        for (int row = 0; row < from.valid_rows; ++row) {
            read(row, 2 * p * lanes, lanes, source);
            if (vectors >= 2) {
                read(row, (2 * p + 1) * lanes, lanes, other);
                loop(source, other, source, lanes);
            }
            std::memcpy(partial(row, p * lanes), source, kVectorBytes);
        }
    if (all_pairs && vectors % 2 != 0 && vectors > 2) add((vectors - 1) * lanes, lanes);
    if (from.valid_cols % lanes != 0) add(vectors * lanes, from.valid_cols % lanes);
    for (int vector = 2; !all_pairs && vector < vectors; ++vector) add(vector * lanes, lanes);
    for (int left = pairs; left > 1; left /= 2) {
        for (int p = 0; p < left / 2; ++p)
            for (int row = 0; row < from.valid_rows; ++row)
                loop(partial(row, 2 * p * lanes), partial(row, (2 * p + 1) * lanes), partial(row, p * lanes), lanes);
        if (left % 2 != 0)
            for (int row = 0; row < from.valid_rows; ++row) {
                std::byte* const with = partial(row, (left / 2 - 1) * lanes);
                loop(with, partial(row, (left - 1) * lanes), with, lanes);
            }
    }
    for (int row = 0; row < from.valid_rows; ++row) {
        std::memcpy(source, partial(row, 0), width);
        for (int i = 1; i < lanes; ++i) loop(source, partial(row, i), source, 1);
        write_line(e.tile(0), e.bytes[0], row, 0, 1, width, source);
    }
}

// Pairs of neighbouring rows are added, then pairs of those sums, until one row is left; an odd
// last row is added to the first sum of its level, on a5 to the last (hw-native-sys/pto-isa
// include/pto/npu/a2a3/TColSum.hpp, BinarySum; a5/TColSum.hpp, TColSum_Binary).
void sum_column_pairs(const Execution& e) {
    const Tile& from = e.tile(1);
    if (from.valid_rows == 0) return;
    const BinaryLoop add = loops::kAdd[from.dtype];
    const size_t width = bytes(from.dtype, 1), line = kChunk * width;
    thread_local std::vector<std::byte> partial;
    partial.resize(static_cast<size_t>(from.valid_rows) * line);
    const auto at = [&](int row) { return partial.data() + static_cast<size_t>(row) * line; };
    for (int col = 0; col < from.valid_cols; col += kChunk) {
        const int lanes = std::min(kChunk, from.valid_cols - col);
        int count = from.valid_rows;
        for (int row = 0; row < count; ++row) {
            read_line(from, e.bytes[1], row, col, lanes, width, at(row));
            make_canonical(from.dtype, at(row), lanes);
        }
        alignas(64) std::byte last[kChunk * kMostBytes];
        while (count > 1) {
            const bool odd = count % 2 == 1;
            if (odd) std::memcpy(last, at(count - 1), line);
            for (int i = 0; i < count / 2; ++i) add(at(2 * i), at(2 * i + 1), at(i), lanes);
            count /= 2;
            std::byte* const with = at(has_order(e) && is_a5(e.numerics) ? count - 1 : 0);
            if (odd) add(with, last, with, lanes);
        }
        write_line(e.tile(0), e.bytes[0], 0, col, lanes, width, at(0));
    }
}

}  // namespace

void TROWSUM(const Execution& e) {
    if (!has_order(e)) return reduce_rows(e, HalfOperation::kAdd);
    visit_float(e.tile(1).dtype, [&](auto type) { sum_rows_in_order<decltype(type)>(e); });
}
void TROWPROD(const Execution& e) {
    if (!has_order(e)) return reduce_rows(e, HalfOperation::kMul);
    visit_float(e.tile(1).dtype, [&](auto type) { multiply_rows_in_order<decltype(type)>(e); });
}
void TROWMAX(const Execution& e) { extremes_of_rows(e, true); }
void TROWMIN(const Execution& e) { extremes_of_rows(e, false); }
void TCOLPROD(const Execution& e) { columns_in_order(e, loops::kMul); }
void TCOLMAX(const Execution& e) { columns(e, greatest(e.numerics)); }
void TCOLMIN(const Execution& e) { columns(e, least(e.numerics)); }
void TCOLSUM(const Execution& e) {
    if (e.instruction.attributes.binary_tree)
        sum_column_pairs(e);
    else
        columns_in_order(e, loops::kAdd);
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
    const Opcode opcode = e.instruction.opcode;
    const bool sum = opcode == Opcode::kTROWSUM;
    rows_in_scratch(e, sum, sum ? loops::kAdd : opcode == Opcode::kTROWMAX ? greatest(e.numerics) : least(e.numerics));
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/reduce.def"
}  // namespace ptosim::rows
