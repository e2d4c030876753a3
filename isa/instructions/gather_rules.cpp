// What is legal of gathers and scatters, and what the assembler requires of them.
#include "isa/instructions/gather_rules.h"

#include "isa/arch.h"
#include "isa/instructions/assembler_rules.h"
#include "isa/legality.h"

namespace ptosim::rules {

using enum DType;

namespace {

// One value for all rows, or integers of the width of the elements, one for each.
bool gather_threshold(const Instruction& instruction, const InstructionInfo& row,
                      Problem& problem) {
    const Tile& src = instruction.tile(1);
    const Operand& value = instruction.operands[3];
    if (value.is_scalar()) {
        if (is_integer(src.dtype) == is_integer(value.scalar.dtype)) return true;
        return wrong_type(problem, row, "T02", 3, value.scalar.dtype, {src.dtype});
    }
    const DTypeSet allowed = bits(src.dtype) == 16 ? DTypeSet{kI16, kU16} : kIndex32;
    if (!allowed.contains(value.tile.dtype))
        return wrong_type(problem, row, "T08", 3, value.tile.dtype, allowed);
    if (value.tile.byte_size() * 8 >= static_cast<uint64_t>(src.valid_rows) * bits(src.dtype))
        return true;
    return wrong_valid(problem, row, "S04", 3, value.tile,
                       std::to_string(src.valid_rows) + " values");
}

// TGATHER (dst, src, -, kValue, [tmp], cdst), hw-native-sys/pto-isa docs/isa/TGATHER.md.
bool gather_compared(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                     Problem& problem) {
    const Tile& src = instruction.tile(1);
    const CompareMode mode = instruction.attributes.compare;
    const DTypeSet sources = traits_of(arch).gathers_compared_integers
                                 ? DTypeSet{kI16, kU16, kI32, kU32, kF16, kF32}
                                 : DTypeSet{kF32, kF16, kI32};
    if (!sources.contains(src.dtype)) return wrong_type(problem, row, "T03", 1, src.dtype, sources);
    if (given(instruction, 2) || instruction.attributes.mask_pattern != 0)
        return fail(problem, "T00", 3,
                    "a gather by comparison takes neither indices nor a mask pattern");
    if (!given(instruction, 5))
        return fail(problem, "T00", 5,
                    "a gather by comparison needs operand 'cdst' for the counts");
    if (!gather_threshold(instruction, row, problem)) return false;
    if (mode != CompareMode::kEq &&
        (mode != CompareMode::kGt || (!traits_of(arch).orders_i32 && src.dtype == kI32)))
        return fail(problem, "P02", 3,
                    "TGATHER compares with eq or gt only; i32 on a2a3 with eq only");
    for (unsigned i : {0u, 5u})
        if (!kIndex32.contains(instruction.tile(i).dtype))
            return wrong_type(problem, row, "T08", i, instruction.tile(i).dtype, kIndex32);
    if (instruction.tile(0).rows < src.valid_rows)
        return wrong_valid(problem, row, "S04", 0, instruction.tile(0),
                           std::to_string(src.valid_rows) + " rows");
    const Tile& counts = instruction.tile(5);
    if (counts.byte_size() >= static_cast<uint64_t>(src.valid_rows) * 4) return true;
    return wrong_valid(problem, row, "S04", 5, counts,
                       std::to_string(src.valid_rows) + " elements");
}

bool check_gather_indices(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                          Problem& problem) {
    if (row.opcode == Opcode::kTGATHER && given(instruction, 3))
        return gather_compared(instruction, row, arch, problem);
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (row.opcode == Opcode::kTGATHER && given(instruction, 5))
        return fail(problem, "T00", 5,
                    "only a gather by comparison has counts, and operand 'kValue' is missing");
    if (bits(dst.dtype) != bits(src.dtype))
        return wrong_type(problem, row, "T01", 0, dst.dtype, {src.dtype});
    if (!given(instruction, 2)) {
        const uint8_t pattern = instruction.attributes.mask_pattern;
        if (instruction.attributes.along_rows && pattern != 0) {
            const int step = pattern <= 2 ? 2 : pattern <= 6 ? 4 : 1;
            const bool scatter = row.opcode == Opcode::kTSCATTER;
            const Tile& wide = scatter ? dst : src;
            const Tile& narrow = scatter ? src : dst;
            const int rows = scatter ? wide.valid_rows : wide.rows;
            if ((!scatter || wide.valid_cols >= narrow.valid_cols) &&
                rows >= narrow.valid_rows * step && (!scatter || rows == narrow.valid_rows * step))
                return true;
            return fail(problem, "S04", 1,
                        "a mask pattern that chooses rows needs " + std::to_string(step) +
                            " rows of " + valid_text(wide) + " for each of " + valid_text(narrow));
        }
        if (pattern != 0) return true;
        return fail(problem, "T00", 2,
                    std::string(row.name) + " takes an index tile or a mask pattern");
    }
    const Tile& indices = instruction.tile(2);
    const DTypeSet allowed{kI32, kU32, kI16, kU16};
    if (!allowed.contains(indices.dtype))
        return wrong_type(problem, row, "T08", 2, indices.dtype, allowed);
    const Tile& lanes = row.opcode == Opcode::kTSCATTER ? src : dst;
    // TSCATTER goes by its indices: what has none stays where it is.
    const bool fewer = row.opcode == Opcode::kTSCATTER && indices.valid_rows <= lanes.valid_rows &&
                       indices.valid_cols <= lanes.valid_cols;
    if (same_lanes(indices, lanes) || fewer) return true;
    return wrong_valid(problem, row, "S04", 2, indices, valid_text(lanes));
}

}  // namespace

const LegalityRule gather_indices{
    "gather_indices", "T00 T01 T08 S04 T02 T03 P02",
    "indices, a mask pattern or a comparison, one of them; indices are of 16 or 32 bits "
    "and cover the lanes",
    &check_gather_indices};

namespace {

bool check_gather_blocks(const Instruction& instruction, const InstructionInfo& row, Arch,
                         Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& offsets = instruction.tile(2);
    if (dst.dtype != instruction.tile(1).dtype)
        return wrong_type(problem, row, "T01", 0, dst.dtype, {instruction.tile(1).dtype});
    if (offsets.dtype != kU32) return wrong_type(problem, row, "T08", 2, offsets.dtype, {kU32});
    const int lanes = static_cast<int>(32 * 8 / bits(dst.dtype));
    if (dst.valid_cols % lanes != 0)
        return fail(problem, "G10", 0,
                    operand_text(row, 0) + " has rows of " + std::to_string(dst.valid_cols) +
                        " elements, which are not whole blocks of 32 bytes");
    if (offsets.valid_rows >= dst.valid_rows && offsets.valid_cols >= dst.valid_cols / lanes)
        return true;
    return wrong_valid(problem, row, "S04", 2, offsets,
                       shape_text(dst.valid_rows, dst.valid_cols / lanes));
}

}  // namespace

const LegalityRule gather_blocks{"gather_blocks", "T01 T08 S04 G10",
                                 "offsets are u32, one for each block of 32 bytes of dst",
                                 &check_gather_blocks};

}  // namespace ptosim::rules

namespace ptosim::rows {

void gather_form(const WrittenOperation& op) {
    if (op.for_a5()) return;
    const Tile *from = op.tile("src"), *indices = op.tile("indices"), *tmp = op.tile("tmp");
    op.require(from == nullptr || bits(from->dtype) >= 16, "T03",
               "gathers elements of 16 and 32 bits on a2a3");
    if (op.given("kValue")) {
        op.require(from == nullptr || from->dtype == DType::kF16 || from->dtype == DType::kF32 ||
                       (from->dtype == DType::kI32 &&
                        op.instruction.attributes.compare == CompareMode::kEq),
                   "T03", "compares f16 and f32 on a2a3, and i32 with eq");
        return;
    }
    if (indices == nullptr) return;
    op.require(tmp != nullptr, "S16", "by indices needs a scratch tile on a2a3");
    op.require(indices->dtype == DType::kI32 || indices->dtype == DType::kU32, "T08",
               "takes indices of i32 on a2a3, not " + std::string(name(indices->dtype)));
    op.require(
        !op.is_static("indices") || !op.is_static("tmp") ||
            (tmp->valid_rows == indices->valid_rows && tmp->valid_cols == indices->valid_cols),
        "S16", "needs a scratch tile with the valid region of the indices");
}

void scatter_form(const WrittenOperation& op) {
    op.require(!op.given("indexes") || !op.has_attribute("maskPattern"), "T00",
               "has indices or a maskPattern, one of them");
}

}  // namespace ptosim::rows
