// Partial operations: sources may cover only a part of the destination.
//
// A lane covered by both sources gets the result of the operation; a lane covered by one gets its value; a lane covered
// by none is undefined and keeps its value (hw-native-sys/pto-isa docs/isa/TPARTADD.md).
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/pad.h"

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

template <typename F>
void partial(const Execution& e, F&& f) {
    const Tile& to = e.tile(0);
    const std::optional<uint64_t> fill = extreme_fill(e);
    visit_arithmetic(to.dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < to.valid_rows; ++row)
            for (int col = 0; col < to.valid_cols; ++col) {
                const bool first = covers(e.tile(1), row, col);
                const bool second = covers(e.tile(2), row, col);
                if (!first && !second) {
                    if (fill) write_lane(to, e.bytes[0], row, col, from_bits<dtype_of<T>()>(*fill));
                    continue;
                }
                T value{};
                if (first) value = read_lane<T>(e.tile(1), e.bytes[1], row, col);
                if (second) {
                    const T other = read_lane<T>(e.tile(2), e.bytes[2], row, col);
                    value = first ? f(value, other) : other;
                }
                write_lane(to, e.bytes[0], row, col, value);
            }
    });
}

// Operands (dst, src0, src1, dstIdx, src0Idx, src1Idx). src1 wins only if it is strictly better;
// a number is better than a NaN.
template <typename F>
void partial_with_index(const Execution& e, F&& better) {
    const Tile& to = e.tile(0);
    visit_float(to.dtype, [&](auto type) {
        using T = decltype(type);
        visit_bits(e.tile(3).dtype, [&](auto index_type) {
            using Index = decltype(index_type);
            for (int row = 0; row < to.valid_rows; ++row)
                for (int col = 0; col < to.valid_cols; ++col) {
                    const bool first = covers(e.tile(1), row, col);
                    bool second = covers(e.tile(2), row, col);
                    if (!first && !second) continue;
                    if (first && second) {
                        const float a = to_float(read_lane<T>(e.tile(1), e.bytes[1], row, col));
                        const float b = to_float(read_lane<T>(e.tile(2), e.bytes[2], row, col));
                        second = better(b, a) || (is_nan(a) && !is_nan(b));
                    }
                    const unsigned source = second ? 2 : 1;
                    write_lane(to, e.bytes[0], row, col,
                               read_lane<T>(e.tile(source), e.bytes[source], row, col));
                    write_lane(e.tile(3), e.bytes[3], row, col,
                               read_lane<Index>(e.tile(source + 3), e.bytes[source + 3], row, col));
                }
        });
    });
}

}  // namespace

void TPARTADD(const Execution& e) {
    partial(e, [](auto a, auto b) { return add_lane(a, b); });
}
void TPARTMUL(const Execution& e) {
    partial(e, [](auto a, auto b) { return mul_lane(a, b); });
}
void TPARTMAX(const Execution& e) { partial(e, Greatest{e.numerics}); }
void TPARTMIN(const Execution& e) { partial(e, Least{e.numerics}); }
void TPARTARGMAX(const Execution& e) {
    partial_with_index(e, [](float a, float b) { return a > b; });
}
void TPARTARGMIN(const Execution& e) {
    partial_with_index(e, [](float a, float b) { return a < b; });
}

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
