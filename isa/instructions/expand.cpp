// Broadcasts along rows and columns, alone and with an operation.
#include <algorithm>

#include "isa/instructions/expand_rules.h"
#include "isa/instructions/row.h"
#include "isa/numeric/round_up.h"
#include "isa/semantics/flush.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/undefined_behaviour.h"
#include "isa/semantics/walks.h"

namespace ptosim::semantics {

// dst(i, j) = src(i, 0)
void TROWEXPAND(const Execution& e) {
    const Tile& to = e.tile(0);
    const size_t width = bytes(to.dtype, 1);
    alignas(64) std::byte lanes[kChunk * kMostBytes];
    for (int row = 0; row < to.valid_rows; ++row) {
        read_line(e.tile(1), e.bytes[1], row, 0, 1, width, lanes);
        repeat_lane(lanes, width, std::min(kChunk, to.valid_cols), lanes);
        for (int col = 0; col < to.valid_cols; col += kChunk)
            write_line(to, e.bytes[0], row, col, std::min(kChunk, to.valid_cols - col), width, lanes);
    }
}

// dst(i, j) = src(0, j)
void TCOLEXPAND(const Execution& e) {
    if (e.tile(1).valid_rows == 0 || e.tile(1).valid_cols == 0) return;
    const Tile& to = e.tile(0);
    const size_t width = bytes(to.dtype, 1);
    alignas(64) std::byte lanes[kChunk * kMostBytes];
    for (int col = 0; col < to.valid_cols; col += kChunk) {
        const int count = std::min(kChunk, to.valid_cols - col);
        read_line(e.tile(1), e.bytes[1], 0, col, count, width, lanes);
        for (int row = 0; row < to.valid_rows; ++row) write_line(to, e.bytes[0], row, col, count, width, lanes);
    }
}

namespace {

// True if the first source is the matrix: the one with the shape of dst; if both have it, the one with the longer rows
// (hw-native-sys/pto-isa include/pto/npu/a2a3/TRowExpandAdd.hpp).
bool matrix_is_first(const Execution& e) {
    auto full = [&](const Tile& tile) {
        return tile.valid_rows == e.tile(0).valid_rows && tile.valid_cols == e.tile(0).valid_cols;
    };
    const bool first = full(e.tile(1));
    if (first && full(e.tile(2))) return e.tile(1).pitch >= e.tile(2).pitch;
    return first;
}

// The lanes of a row of the matrix with `values`: dst = loop(matrix, values), or loop(values, matrix).
class Combiner {
 public:
    Combiner(const Execution& e, BinaryLoop loop, unsigned matrix)
        : e_{e},
          loop_{loop},
          matrix_{matrix},
          width_{bytes(e.tile(0).dtype, 1)},
          in_place_{contiguous_rows(e.tile(0)) && contiguous_rows(e.tile(matrix)) && independent(e, 0, matrix)} {}

    void combine(int row, int col, int count, const std::byte* values) const {
        const Tile &to = e_.tile(0), &from = e_.tile(matrix_);
        if (in_place_) {
            const auto width = static_cast<int64_t>(width_);
            return compute(e_.bytes[matrix_] + from.index(row, col) * width, values,
                           e_.bytes[0] + to.index(row, col) * width, count);
        }
        alignas(64) std::byte lanes[kChunk * kMostBytes];
        read_line(from, e_.bytes[matrix_], row, col, count, width_, lanes);
        compute(lanes, values, lanes, count);
        write_line(to, e_.bytes[0], row, col, count, width_, lanes);
    }

 private:
    void compute(const std::byte* lanes, const std::byte* values, std::byte* out, int count) const {
        loop_(matrix_ == 1 ? lanes : values, matrix_ == 1 ? values : lanes, out, count);
    }

    const Execution& e_;
    BinaryLoop loop_;
    unsigned matrix_;
    size_t width_;
    bool in_place_;
};

// dst(i, j) = f(src0(i, j), src1(i, 0)), or src1(i, j mod its columns) if its rows are whole blocks
// of 32 bytes; the vector may also be the first source (hw-native-sys/pto-isa
// tests/npu/a2a3/src/st/testcase/trowexpandadd).
void rows(const Execution& e, const BinaryLoops& loops) {
    const Tile& to = e.tile(0);
    const size_t width = bytes(to.dtype, 1);
    const int block = static_cast<int>(32 / width);
    const bool first = matrix_is_first(e);
    const unsigned vector = first ? 2 : 1;
    const Tile& by = e.tile(vector);
    const Combiner combiner(e, loops[to.dtype], first ? 1 : 2);
    // Templates of PTOAS take the first lane (profile rule row-vector-first-lane).
    const bool blocks = e.numerics != Numerics::kA5Templates && !by.boxed() &&
                        by.outer == OuterLayout::kRowMajor && by.valid_cols == block;
    alignas(64) std::byte values[kChunk * kMostBytes];
    for (int row = 0; row < to.valid_rows; ++row) {
        const int most = std::min(kChunk, to.valid_cols);
        read_line(by, e.bytes[vector], row, 0, blocks ? block : 1, width, values);
        if (!blocks) repeat_lane(values, width, most, values);
        for (int i = block; blocks && i < most; i += block)
            std::memcpy(values + static_cast<size_t>(i) * width, values, 32);
        for (int col = 0; col < to.valid_cols; col += kChunk)
            combiner.combine(row, col, std::min(kChunk, to.valid_cols - col), values);
    }
}

// dst(i, j) = f(src0(i, j), src1(0, j)); the vector may also be the first source, if that is not
// of the shape of dst (hw-native-sys/pto-isa include/pto/npu/a2a3/TColExpandBinOp.hpp).
void columns(const Execution& e, const BinaryLoops& loops) {
    const Tile& to = e.tile(0);
    const bool first = e.tile(1).valid_rows == to.valid_rows;
    const unsigned vector = first ? 2 : 1;
    const Combiner combiner(e, loops[to.dtype], first ? 1 : 2);
    alignas(64) std::byte values[kChunk * kMostBytes];
    for (int col = 0; col < to.valid_cols; col += kChunk) {
        const int count = std::min(kChunk, to.valid_cols - col);
        read_line(e.tile(vector), e.bytes[vector], 0, col, count, bytes(to.dtype, 1), values);
        for (int row = 0; row < to.valid_rows; ++row) combiner.combine(row, col, count, values);
    }
}

// e^(a - b): the difference and its exponential in f32, rounded to the element type at the end
// (PTO-ISA/pto-spec spec/hardware-conformance-profile.json, expdif). The vector unit subtracts and exponentiates in
// the element type: profile rule "expdif-in-f16".
const BinaryLoops& exponentials(const Execution& e) {
    return e.numerics == Numerics::kIEEE ? loops::kExpdif : flushes(e) ? loops::kFlushedExpdif : loops::kExpdifSteps;
}

}  // namespace

void TROWEXPANDADD(const Execution& e) { rows(e, loops::kAdd); }
void TROWEXPANDSUB(const Execution& e) { rows(e, loops::kSub); }
void TROWEXPANDMUL(const Execution& e) { rows(e, loops::kMul); }
void TROWEXPANDDIV(const Execution& e) { rows(e, flushing_quotients(e)); }
void TROWEXPANDMAX(const Execution& e) { rows(e, greatest(e.numerics)); }
void TROWEXPANDMIN(const Execution& e) { rows(e, least(e.numerics)); }
void TROWEXPANDEXPDIF(const Execution& e) { rows(e, exponentials(e)); }
void TCOLEXPANDADD(const Execution& e) { columns(e, loops::kAdd); }
void TCOLEXPANDSUB(const Execution& e) { columns(e, loops::kSub); }
void TCOLEXPANDMUL(const Execution& e) { columns(e, loops::kMul); }
void TCOLEXPANDDIV(const Execution& e) { columns(e, flushing_quotients(e)); }
void TCOLEXPANDMAX(const Execution& e) { columns(e, greatest(e.numerics)); }
void TCOLEXPANDMIN(const Execution& e) { columns(e, least(e.numerics)); }
void TCOLEXPANDEXPDIF(const Execution& e) { columns(e, exponentials(e)); }

namespace {

// A block for each row of a column of values, 240 rows at a time (hw-native-sys/pto-isa
// docs/isa/TROWEXPANDMUL.md: "tmp").
uint64_t scratch_of_broadcast(const Instruction& instruction) {
    const Tile& dst = instruction.tile(0);
    const bool first_is_full = instruction.tile(1).valid_cols == dst.valid_cols;
    const Tile& expanded = instruction.tile(first_is_full ? 2 : 1);
    if (expanded.outer != OuterLayout::kColMajor || expanded.valid_cols != 1) return 0;
    return std::min<uint64_t>(30, ceil_div(static_cast<uint64_t>(dst.valid_rows), 8)) * 256;
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/{TRowExpand,TColExpand,TRowExpandBinOp,TColExpandBinOp}.hpp: row
// after row of dst is written. A column of values is first spread over scratch; blocks, one for each
// row, and a row of values are read for each row.
bool has_rows(const Instruction& instruction) { return instruction.tile(0).valid_rows > 1; }
bool is_full(const Instruction& instruction, unsigned operand) {
    return instruction.tile(operand).valid_cols == instruction.tile(0).valid_cols;
}
bool has_blocks_first(const Instruction& instruction) {
    return has_rows(instruction) && !is_full(instruction, 1) && scratch_of_broadcast(instruction) == 0;
}
bool has_blocks_second(const Instruction& instruction) {
    return has_rows(instruction) && is_full(instruction, 1) && scratch_of_broadcast(instruction) == 0;
}
// Without a scratch tile, include/pto/common/constants.hpp: TMP_UB_OFFSET.
constexpr uint32_t kFixedScratch = 184 * 1024;
using Unless = EarlyWrite::Unless;
constexpr std::array kExpandedColumnWrites{EarlyWrite{0, 1, Unless::kSameElements, has_rows}};
constexpr std::array kExpandedRowWrites{EarlyWrite{0, 1, Unless::kSameAddress, has_rows}};
constexpr std::array kWithColumnWrites{
    EarlyWrite{0, 1, Unless::kSameElements, has_blocks_first},
    EarlyWrite{0, 2, Unless::kSameElements, has_blocks_second},
    EarlyWrite{0, 3, Unless::kNever, has_rows}, EarlyWrite{3, 1}, EarlyWrite{3, 2}};
constexpr std::array kWithRowWrites{EarlyWrite{0, 2, Unless::kNever, has_rows}};

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/expand.def"
}  // namespace ptosim::rows
