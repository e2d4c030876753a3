// Legality rules of conversions, and the assembler's requirements on them.
#include "isa/instructions/convert_rules.h"

#include <algorithm>

#include "isa/core/arch.h"
#include "isa/instructions/assembler_rules.h"
#include "isa/legality/legality.h"
#include "isa/table/instruction_table.h"

namespace ptosim::rules {

using enum DType;

namespace {

struct Targets {
    DType from;
    DTypeSet to;
};

// Supported conversions (hw-native-sys/pto-isa docs/isa/TCVT.md).
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

bool check_conversion_pair(const Instruction& instruction, const InstructionInfo& row, Arch arch,
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

}  // namespace

const LegalityRule conversion_pair{"conversion_pair", "T04",
                                   "the architecture converts between the two types",
                                   &check_conversion_pair};

namespace {

// hw-native-sys/PTOAS lib/PTO/IR/PTO.cpp, TPackOp::verify.
bool check_packed_widths(const Instruction& instruction, const InstructionInfo& row, Arch,
                         Problem& problem) {
    const unsigned from = bits(instruction.tile(1).dtype), to = bits(instruction.tile(0).dtype);
    if (to >= 8 && (from == 2 * to || from == 4 * to)) return true;
    return fail(problem, "T04", 0,
                operand_text(row, 0) + " has elements of " + std::to_string(to) + " bits, but " +
                    operand_text(row, 1) + " of " + std::to_string(from) + "; " +
                    std::string(row.name) + " makes 8 or 16 of 32 bits, or 8 of 16");
}

}  // namespace

const LegalityRule packed_widths{
    "packed_widths", "T04",
    "elements of dst have a half or a quarter of the bits of those of src, and at least 8",
    &check_packed_widths};

}  // namespace ptosim::rules

namespace ptosim::rows {

void convert_form(const WrittenOperation& op) {
    const Tile *src = op.tile("src"), *dst = op.tile("dst");
    if (src == nullptr || dst == nullptr) return;
    const auto small_float = [](const Tile& tile) {
        return bits(tile.dtype) <= 8 && !is_integer(tile.dtype);
    };
    op.require(op.for_a5() || (!small_float(*src) && !small_float(*dst)), "T03",
               "has no floats of 8 and 4 bits on a2a3");
    // A pair of 4-bit numbers is one element.
    const int64_t from = src->valid_cols * (bits(src->dtype) == 4 ? 2 : 1);
    const int64_t to = dst->valid_cols * (bits(dst->dtype) == 4 ? 2 : 1);
    op.require(!op.is_static("src") || !op.is_static("dst") || from == to, "S04",
               "turns " + std::to_string(from) + " columns into " + std::to_string(to));
}

// Conversions to narrower integers without saturation.
const AssemblerScratch kConvertScratch{.made = [](const Instruction& i) -> std::optional<Tile> {
    const Tile &dst = i.tile(0), &src = i.tile(1);
    const DType from = src.dtype, to = dst.dtype;
    const bool narrows = (from == DType::kF32 && to == DType::kI16) ||
                         (from == DType::kF16 && is_integer(to) && bits(to) <= 16);
    const Attributes& modes = i.attributes;
    if (!narrows || modes.saturation_from != SaturationFrom::kKernel || modes.saturation != Saturation::kOff)
        return std::nullopt;
    const int64_t rows = rows_of(dst), cols = cols_of(dst);
    int64_t bytes = 0;
    if (rows > 0 && cols > 0 && from == DType::kF32) {
        const int64_t head = 256 * std::min<int64_t>(cols / 64, 255), rest = cols % 64;
        const int64_t tail =
            rest == 0
                ? 0
                : 32 * ((std::min<int64_t>(rows, 255) - 1) * (src.cols / 8) + ceil_div(rest, 8));
        bytes = std::max(head, tail);
    } else if (cols > 0) {
        const int64_t width = std::min<int64_t>(cols, 64), to_i16 = 32 * ceil_div(width, 8);
        bytes = bits(to) == 8 ? std::max(to_i16, 128 + 32 * ceil_div(width, 16)) : to_i16;
    }
    return full_scratch_tile(1, std::max<int64_t>(32, round_up(bytes, 32)), DType::kI8);
}};

}  // namespace ptosim::rows
