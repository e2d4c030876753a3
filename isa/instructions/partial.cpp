// Partial operations: sources may cover only a part of the destination.
//
// A lane covered by both sources gets the result of the operation; a lane covered by one gets its value; a lane covered
// by none is undefined and keeps its value (hw-native-sys/pto-isa docs/isa/TPARTADD.md).
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/pad.h"
#include "isa/semantics/walks.h"

namespace ptosim::semantics {

namespace {

bool covers(const Tile& tile, int row, int col) {
    return row < tile.valid_rows && col < tile.valid_cols;
}

// The identity of a maximum or minimum, where the a5 profile fills up lanes that no source covers:
// the lowest or highest finite value (profile rule "part-extreme-fill").
std::optional<uint64_t> extreme_fill(const Execution& e) {
    const Opcode opcode = e.instruction.opcode;
    if (!is_a5(e.numerics)) return std::nullopt;
    if (opcode != Opcode::kTPARTMAX && opcode != Opcode::kTPARTMIN) return std::nullopt;
    const DType type = e.tile(0).dtype;
    const bool lowest = opcode == Opcode::kTPARTMAX;
    if (is_integer(type)) return pad_bits(type, lowest ? Pad::kMin : Pad::kMax);
    const uint64_t sign = lowest ? uint64_t{1} << (bits(type) - 1) : 0;
    return float_format(type).largest | sign;
}

// Number of lanes of a row of dst that a source covers.
int covered(const Execution& e, unsigned source, int row) {
    const Tile& tile = e.tile(source);
    return row < tile.valid_rows ? std::min(tile.valid_cols, e.tile(0).valid_cols) : 0;
}

void partial(const Execution& e, const BinaryLoops& loops) {
    const Tile& to = e.tile(0);
    const BinaryLoop loop = loops[to.dtype];
    const size_t width = bytes(to.dtype, 1);
    const std::optional<uint64_t> fill = extreme_fill(e);
    alignas(64) std::byte lanes[kChunk * kMostBytes], others[kChunk * kMostBytes];
    for (int row = 0; row < to.valid_rows; ++row) {
        const int first = covered(e, 1, row), second = covered(e, 2, row);
        const unsigned longer = first > second ? 1 : 2;
        const int both = std::min(first, second), one = std::max(first, second);
        // Calls f(col, count) for the columns [begin, end), and writes the lanes.
        const auto each = [&](int begin, int end, auto f) {
            for (int col = begin; col < end; col += kChunk) {
                const int count = std::min(kChunk, end - col);
                f(col, count);
                write_line(to, e.bytes[0], row, col, count, width, lanes);
            }
        };
        each(0, both, [&](int col, int count) {
            read_line(e.tile(1), e.bytes[1], row, col, count, width, lanes);
            read_line(e.tile(2), e.bytes[2], row, col, count, width, others);
            loop(lanes, others, lanes, count);
        });
        each(both, one, [&](int col, int count) {
            read_line(e.tile(longer), e.bytes[longer], row, col, count, width, lanes);
        });
        if (!fill) continue;
        each(one, to.valid_cols, [&](int, int count) {
            repeat_lane(reinterpret_cast<const std::byte*>(&*fill), width, count, lanes);
        });
    }
}

float float_at(const Execution& e, unsigned operand, int row, int col) {
    float value = 0;
    visit_float(e.tile(operand).dtype, [&](auto type) {
        value = to_float(read_lane<decltype(type)>(e.tile(operand), e.bytes[operand], row, col));
    });
    return value;
}
void copy_lane(const Execution& e, unsigned to, unsigned from, int row, int col) {
    const size_t width = bytes(e.tile(to).dtype, 1);
    std::array<std::byte, kMostBytes> lane;
    read_line(e.tile(from), e.bytes[from], row, col, 1, width, lane.data());
    write_line(e.tile(to), e.bytes[to], row, col, 1, width, lane.data());
}

// Operands (dst, src0, src1, dstIdx, src0Idx, src1Idx). src1 wins only if it is strictly better;
// a number is better than a NaN.
void partial_with_index(const Execution& e, bool greatest) {
    const Tile& to = e.tile(0);
    for (int row = 0; row < to.valid_rows; ++row)
        for (int col = 0; col < to.valid_cols; ++col) {
            const bool first = covers(e.tile(1), row, col);
            bool second = covers(e.tile(2), row, col);
            if (!first && !second) continue;
            if (first && second) {
                const float a = float_at(e, 1, row, col), b = float_at(e, 2, row, col);
                second = (greatest ? b > a : b < a) || (is_nan(a) && !is_nan(b));
            }
            const unsigned source = second ? 2 : 1;
            copy_lane(e, 0, source, row, col);
            copy_lane(e, 3, source + 3, row, col);
        }
}

}  // namespace

void TPARTADD(const Execution& e) { partial(e, loops::kAdd); }
void TPARTMUL(const Execution& e) { partial(e, loops::kMul); }
void TPARTMAX(const Execution& e) { partial(e, greatest(e.numerics)); }
void TPARTMIN(const Execution& e) { partial(e, least(e.numerics)); }
void TPARTARGMAX(const Execution& e) { partial_with_index(e, true); }
void TPARTARGMIN(const Execution& e) { partial_with_index(e, false); }

}  // namespace ptosim::semantics

namespace ptosim::rules {

using enum DType;

namespace {

// One source covers the destination (PA-0051..54 of hw-native-sys/pto-isa docs/coding/debug.md).
bool check_partial_cover(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                         Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src0 = instruction.tile(1);
    const Tile& src1 = instruction.tile(2);
    const bool extreme =
        instruction.opcode == Opcode::kTPARTMAX || instruction.opcode == Opcode::kTPARTMIN;
    const bool covered = same_lanes(src0, dst) || same_lanes(src1, dst);
    if (covered || (extreme && traits_of(arch).part_extremes_fill)) {
        const bool inside = src0.valid_rows <= dst.valid_rows &&
                            src0.valid_cols <= dst.valid_cols &&
                            src1.valid_rows <= dst.valid_rows && src1.valid_cols <= dst.valid_cols;
        if (inside) return true;
    }
    return fail(problem, "S14", 1,
                operand_text(row, 1) + " is " + valid_text(src0) + " and " + operand_text(row, 2) +
                    " is " + valid_text(src1) + "; one of them must cover " + valid_text(dst) +
                    ", and neither exceed it");
}

constexpr LegalityRule partial_cover{
    "partial_cover", "S14",
    "one source covers dst (a5: but for TPARTMAX and TPARTMIN) and neither exceeds it",
    &check_partial_cover};

bool check_partial_types(const Instruction& instruction, const InstructionInfo& row, Arch,
                         Problem& problem) {
    const DType value = instruction.tile(0).dtype;
    const DType index = instruction.tile(3).dtype;
    DTypeSet indices = kIndex32;
    if (value == kF16) indices = indices | DTypeSet{kI16, kU16};
    for (unsigned i = 0; i < 6; ++i) {
        const DType found = instruction.tile(i).dtype;
        if (i < 3 && found != value) return wrong_type(problem, row, "T01", i, found, {value});
        if (i >= 3 && (!indices.contains(found) || found != index))
            return wrong_type(problem, row, "T08", i, found, indices);
        if (i >= 3 && !same_lanes(instruction.tile(i), instruction.tile(i - 3)))
            return wrong_valid(problem, row, "S04", i, instruction.tile(i),
                               valid_text(instruction.tile(i - 3)));
    }
    return true;
}

constexpr LegalityRule partial_types{"partial_types", "T01 T08 S04",
                                     "values have one type, indices another one",
                                     &check_partial_types};

}  // namespace

}  // namespace ptosim::rules

namespace ptosim::rows {

namespace {

void partial_form(const WrittenOperation& op) {
    for (const std::string_view operand : {"src0", "src1", "dstIdx", "src0Idx", "src1Idx"})
        require_same_shape(op, operand, "dst");
}

}  // namespace

#include "isa/instructions/partial.def"
}  // namespace ptosim::rows
