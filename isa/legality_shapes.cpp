// Rules of conversions, windows, padding, concatenation and ranges.
#include "isa/arch_types.h"
#include "isa/legality.h"

namespace ptosim::rules {

namespace {

using enum DType;

struct Targets {
    DType from;
    DTypeSet to;
};

// hw-native-sys/pto-isa docs/isa/TCVT.md, supported conversions.
constexpr Targets kConversionsA2A3[] = {
    {kF32, {kF16, kF32, kBF16, kI16, kI32, kI64}},
    {kF16, {kF32, kI32, kI16, kI8, kU8, kI4}},
    {kBF16, {kF32, kI32}},
    {kI16, {kF16, kF32}},
    {kI32, {kF32, kI16, kI64, kF16}},
    {kI64, {kF32, kI32}},
    {kU8, {kF16}},
    {kI8, {kF16}},
    {kI4, {kF16}},
};
constexpr Targets kConversionsA5[] = {
    {kF32, {kF32, kF16, kBF16, kI16, kI32, kI64, kE4M3, kE5M2, kHIF8}},
    {kF16, {kF32, kI32, kI16, kI8, kU8, kHIF8}},
    {kBF16, {kF32, kI32, kF16, kE1M2, kE2M1}},
    {kI16, {kU8, kF16, kF32, kU32, kI32}},
    {kI32, {kF32, kI16, kU16, kI64, kU8}},
    {kI64, {kF32, kI32}},
    {kU8, {kF16, kU16}},
    {kI8, {kF16, kI16, kI32}},
    {kU32, {kU8, kU16, kI16}},
    {kE4M3, {kF32}},
    {kE5M2, {kF32}},
    {kHIF8, {kF32}},
    {kE1M2, {kBF16}},
    {kE2M1, {kBF16}},
};

}  // namespace

std::span<const RuleText> all_rules() {
    static constexpr RuleText kTexts[] = {
#define PTO_RULE(NAME, CODES, TEXT) {&NAME, #NAME, CODES, TEXT},
#include "isa/legality_rules.def"
#undef PTO_RULE
    };
    return kTexts;
}

const RuleText* describe(LegalityRule rule) {
    for (const RuleText& text : all_rules())
        if (text.rule == rule) return &text;
    return nullptr;
}

bool conversion_pair(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                     Problem& problem) {
    const DType to = instruction.tile(0).dtype;
    const DType from = instruction.tile(1).dtype;
    DTypeSet allowed;
    for (const Targets& pair : traits_of(arch).vector_operands == VectorOperands::kMemory
                                   ? std::span<const Targets>(kConversionsA2A3)
                                   : std::span<const Targets>(kConversionsA5))
        if (pair.from == from) allowed = types_on(arch, pair.to);
    if (allowed.contains(to)) return true;
    return fail(problem, "T04", 0,
                operand_text(row, 0) + " is " + std::string(name(to)) + "; on " +
                    std::string(name(arch)) + ", " + std::string(name(from)) + " converts to " +
                    (allowed.empty() ? "nothing" : to_text(allowed)));
}

bool transposed(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                Problem& problem) {
    if (instruction.attributes.conv_dst.given() || instruction.attributes.conv_src.given())
        return convolution_turn(instruction, row, arch, problem);
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (dst.valid_rows == src.valid_cols && dst.valid_cols == src.valid_rows) return true;
    return fail(problem, "S12", 0,
                operand_text(row, 0) + " has the valid region " + valid_text(dst) +
                    "; the transpose of " + valid_text(src) + " is " +
                    shape_text(src.valid_cols, src.valid_rows));
}

bool side_by_side(const Instruction& instruction, const InstructionInfo& row, Arch,
                  Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src0 = instruction.tile(1);
    const Tile& src1 = instruction.tile(2);
    if (src0.valid_rows == dst.valid_rows && src1.valid_rows == dst.valid_rows &&
        src0.valid_cols + src1.valid_cols <= dst.valid_cols)
        return true;
    return fail(problem, "S12", 0,
                operand_text(row, 0) + " has the valid region " + valid_text(dst) + "; " +
                    valid_text(src0) + " and " + valid_text(src1) + " do not make it side by side");
}

bool one_row(const Instruction& instruction, const InstructionInfo& row, Arch, Problem& problem) {
    if (instruction.tile(0).rows == 1) return true;
    return fail(problem, "S13", 0,
                operand_text(row, 0) + " has " + std::to_string(instruction.tile(0).rows) +
                    " rows; " + std::string(row.name) + " fills one row");
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/TFillPad.hpp.
bool fill_pad(const Instruction& instruction, const InstructionInfo& row, Arch, Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (dst.pad == Pad::kNull)
        return fail(problem, "D06", 0,
                    operand_text(row, 0) + " has no pad value: there is nothing to fill with",
                    "give the tile type pad zero, max, min or a pattern of its own");
    if (dst.dtype != src.dtype)
        return fail(problem, "T01", 1,
                    operand_text(row, 1) + " is " + std::string(name(src.dtype)) + ", but " +
                        operand_text(row, 0) + " is " + std::string(name(dst.dtype)));
    if (src.valid_rows > dst.valid_rows || src.valid_cols > dst.valid_cols)
        return fail(problem, "S04", 0,
                    operand_text(row, 0) + " has the valid region " + valid_text(dst) +
                        ", less than the " + valid_text(src) + " of " + operand_text(row, 1));
    const bool larger = row.name == "TFILLPAD_EXPAND";
    const bool same = dst.rows == src.rows && dst.cols == src.cols;
    if (same || (larger && dst.rows >= src.rows && dst.cols >= src.cols)) return true;
    return fail(problem, "S05", 0,
                operand_text(row, 0) + " is " + shape_text(dst.rows, dst.cols) + ", " +
                    operand_text(row, 1) + " is " + shape_text(src.rows, src.cols),
                larger ? "" : "TFILLPAD_EXPAND fills into a larger tile");
}

namespace {

// The window [row0, row0 + part.valid_rows) x ... of `whole`, at indices that are operands 2, 3.
bool check_window(const Instruction& instruction, const InstructionInfo& row, unsigned whole,
                  unsigned part, Problem& problem) {
    const Tile& parent = instruction.tile(whole);
    const Tile& window = instruction.tile(part);
    int64_t first[2] = {0, 0};
    for (unsigned i = 0; i < 2; ++i) {
        const Scalar& index = instruction.operands[2 + i].scalar;
        if (!is_integer(index.dtype))
            return fail(problem, "T02", static_cast<int>(2 + i),
                        operand_text(row, 2 + i) + " is " + std::string(name(index.dtype)) +
                            "; an index is an integer");
        const unsigned shift = 64 - bits(index.dtype);
        const uint64_t top = index.bits << shift;
        first[i] = is_signed(index.dtype) ? static_cast<int64_t>(top) >> shift
                                          : static_cast<int64_t>(top >> shift);
    }
    int32_t rows = window.valid_rows, cols = window.valid_cols;
    const AccToVec mode = instruction.attributes.acc_to_vec;
    if (mode >= AccToVec::kDualSplitM) {  // each vector core has half of what leaves L0C
        int32_t& extent = mode == AccToVec::kDualSplitM ? rows : cols;
        extent = whole == 1 ? extent * 2 : extent / 2;
    }
    if (first[0] >= 0 && first[1] >= 0 && first[0] <= parent.rows - rows &&
        first[1] <= parent.cols - cols)
        return true;
    return fail(problem, "S11", 2,
                "the window of " + shape_text(rows, cols) + " at (" + std::to_string(first[0]) +
                    ", " + std::to_string(first[1]) + ") leaves " + operand_text(row, whole) +
                    ", which is " + shape_text(parent.rows, parent.cols));
}

}  // namespace

bool extract_window(const Instruction& instruction, const InstructionInfo& row, Arch,
                    Problem& problem) {
    return check_window(instruction, row, 1, 0, problem);
}

bool insert_window(const Instruction& instruction, const InstructionInfo& row, Arch,
                   Problem& problem) {
    return check_window(instruction, row, 0, 1, problem);
}

}  // namespace ptosim::rules
