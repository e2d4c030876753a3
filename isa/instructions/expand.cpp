// Broadcasts along rows and columns, alone and with an operation.
#include <algorithm>

#include "isa/instructions/expand_rules.h"
#include "isa/instructions/row.h"
#include "isa/numeric/round_up.h"
#include "isa/semantics/elementwise.h"
#include "isa/semantics/flush.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/undefined_behaviour.h"

namespace ptosim::semantics {

// dst(i, j) = src(i, 0)
void TROWEXPAND(const Execution& e) {
    const Tile& to = e.tile(0);
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        alignas(64) T lanes[kChunk];
        for (int row = 0; row < to.valid_rows; ++row) {
            std::fill(lanes, lanes + kChunk, read_lane<T>(e.tile(1), e.bytes[1], row, 0));
            for (int col = 0; col < to.valid_cols; col += kChunk)
                write_lanes(to, e.bytes[0], row, col, std::min(kChunk, to.valid_cols - col), lanes);
        }
    });
}

// dst(i, j) = src(0, j)
void TCOLEXPAND(const Execution& e) {
    if (e.tile(1).valid_rows == 0 || e.tile(1).valid_cols == 0) return;
    const Tile& to = e.tile(0);
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        alignas(64) T lanes[kChunk];
        for (int col = 0; col < to.valid_cols; col += kChunk) {
            const int count = std::min(kChunk, to.valid_cols - col);
            read_lanes(e.tile(1), e.bytes[1], 0, col, count, lanes);
            for (int row = 0; row < to.valid_rows; ++row)
                write_lanes(to, e.bytes[0], row, col, count, lanes);
        }
    });
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

// dst(i, j) = f(src0(i, j), src1(i, 0)), or src1(i, j mod its columns) if its rows are whole blocks
// of 32 bytes; the vector may also be the first source (hw-native-sys/pto-isa
// tests/npu/a2a3/src/st/testcase/trowexpandadd).
template <typename T, typename F>
void along_rows(const Execution& e, F&& f) {
    const Tile& to = e.tile(0);
    constexpr int kBlock = 32 / static_cast<int>(sizeof(T));
    static_assert(kChunk % kBlock == 0);
    alignas(64) T values[kChunk];
    const bool first = matrix_is_first(e);
    const unsigned matrix = first ? 1 : 2;
    const unsigned vector = first ? 2 : 1;
    alignas(64) T lanes[kChunk];
    alignas(64) T out[kChunk];
    const Tile& by = e.tile(vector);
    // Templates of PTOAS take the first lane (profile rule row-vector-first-lane).
    const bool blocks = e.numerics != Numerics::kA5Templates && !by.boxed() &&
                        by.outer == OuterLayout::kRowMajor && by.valid_cols == kBlock;
    for (int row = 0; row < to.valid_rows; ++row) {
        const T value = read_lane<T>(by, e.bytes[vector], row, 0);
        for (int i = 0; i < kChunk; ++i)
            values[i] = blocks ? read_lane<T>(by, e.bytes[vector], row, i % kBlock) : value;
        for (int col = 0; col < to.valid_cols; col += kChunk) {
            const int count = std::min(kChunk, to.valid_cols - col);
            read_lanes(e.tile(matrix), e.bytes[matrix], row, col, count, lanes);
            if (first)
                for (int i = 0; i < count; ++i) out[i] = f(lanes[i], values[i]);
            else
                for (int i = 0; i < count; ++i) out[i] = f(values[i], lanes[i]);
            write_lanes(to, e.bytes[0], row, col, count, out);
        }
    }
}

// dst(i, j) = f(src0(i, j), src1(0, j)); the vector may also be the first source, if that is not
// of the shape of dst (hw-native-sys/pto-isa include/pto/npu/a2a3/TColExpandBinOp.hpp).
template <typename T, typename F>
void along_columns(const Execution& e, F&& f) {
    const Tile& to = e.tile(0);
    const bool first = e.tile(1).valid_rows == to.valid_rows;
    const unsigned matrix = first ? 1 : 2;
    const unsigned row_of_values = first ? 2 : 1;
    alignas(64) T lanes[kChunk];
    alignas(64) T vector[kChunk];
    alignas(64) T out[kChunk];
    for (int col = 0; col < to.valid_cols; col += kChunk) {
        const int count = std::min(kChunk, to.valid_cols - col);
        read_lanes(e.tile(row_of_values), e.bytes[row_of_values], 0, col, count, vector);
        for (int row = 0; row < to.valid_rows; ++row) {
            read_lanes(e.tile(matrix), e.bytes[matrix], row, col, count, lanes);
            if (first)
                for (int i = 0; i < count; ++i) out[i] = f(lanes[i], vector[i]);
            else
                for (int i = 0; i < count; ++i) out[i] = f(vector[i], lanes[i]);
            write_lanes(to, e.bytes[0], row, col, count, out);
        }
    }
}

template <typename F>
void rows(const Execution& e, F&& f) {
    visit_arithmetic(e.tile(0).dtype, [&](auto type) { along_rows<decltype(type)>(e, f); });
}
template <typename F>
void columns(const Execution& e, F&& f) {
    visit_arithmetic(e.tile(0).dtype, [&](auto type) { along_columns<decltype(type)>(e, f); });
}

// e^(a - b): the difference and its exponential in f32, rounded to the element type at the end
// (PTO-ISA/pto-spec spec/hardware-conformance-profile.json, expdif).
template <typename T>
T expdif_lane(T a, T b) {
    return round_to<T>(exp_rn(sub(to_float(a), to_float(b))));
}
// The vector unit subtracts and exponentiates in the element type: profile rule "expdif-in-f16".
template <typename T>
T expdif_steps(T a, T b) {
    return exp_rn(sub(a, b));
}
template <typename T>
T expdif_flushed(T a, T b) {
    return flushed(exp_rn(flushed(sub(a, b))));
}
template <typename F>
void float_only(const Execution& e, F&& f) {
    visit_float(e.tile(0).dtype, f);
}

}  // namespace

#define PTO_LANES(FUNCTION) [](auto a, auto b) { return FUNCTION(a, b); }

void TROWEXPANDADD(const Execution& e) { rows(e, PTO_LANES(add_lane)); }
void TROWEXPANDSUB(const Execution& e) { rows(e, PTO_LANES(sub_lane)); }
void TROWEXPANDMUL(const Execution& e) { rows(e, PTO_LANES(mul_lane)); }
void TROWEXPANDDIV(const Execution& e) {
    run_flushing(e, PTO_LANES(div_lane), [&](auto lane) { rows(e, lane); });
}
void TROWEXPANDMAX(const Execution& e) { rows(e, Greatest{e.numerics}); }
void TROWEXPANDMIN(const Execution& e) { rows(e, Least{e.numerics}); }
void TROWEXPANDEXPDIF(const Execution& e) {
    float_only(e, [&](auto type) {
        if (e.numerics == Numerics::kIEEE)
            along_rows<decltype(type)>(e, PTO_LANES(expdif_lane));
        else if (flushes(e))
            along_rows<decltype(type)>(e, PTO_LANES(expdif_flushed));
        else
            along_rows<decltype(type)>(e, PTO_LANES(expdif_steps));
    });
}
void TCOLEXPANDADD(const Execution& e) { columns(e, PTO_LANES(add_lane)); }
void TCOLEXPANDSUB(const Execution& e) { columns(e, PTO_LANES(sub_lane)); }
void TCOLEXPANDMUL(const Execution& e) { columns(e, PTO_LANES(mul_lane)); }
void TCOLEXPANDDIV(const Execution& e) {
    run_flushing(e, PTO_LANES(div_lane), [&](auto lane) { columns(e, lane); });
}
void TCOLEXPANDMAX(const Execution& e) { columns(e, Greatest{e.numerics}); }
void TCOLEXPANDMIN(const Execution& e) { columns(e, Least{e.numerics}); }
void TCOLEXPANDEXPDIF(const Execution& e) {
    float_only(e, [&](auto type) {
        if (e.numerics == Numerics::kIEEE)
            along_columns<decltype(type)>(e, PTO_LANES(expdif_lane));
        else if (flushes(e))
            along_columns<decltype(type)>(e, PTO_LANES(expdif_flushed));
        else
            along_columns<decltype(type)>(e, PTO_LANES(expdif_steps));
    });
}

#undef PTO_LANES

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
