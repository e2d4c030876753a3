// Legality rules of reductions to positions, and the assembler's requirements on them.
#include "isa/instructions/reduce_argument_rules.h"

#include "isa/instructions/assembler_rules.h"
#include "isa/legality/legality.h"

namespace ptosim::rules {

using enum DType;

namespace {

// The optional second result of an argument reduction has the valid region of the first and the type of src.
bool best_values(const Instruction& instruction, const InstructionInfo& row, Problem& problem) {
    if (!given(instruction, 3)) return true;
    const Tile& best = instruction.tile(3);
    if (best.dtype != instruction.tile(1).dtype)
        return wrong_type(problem, row, "T01", 3, best.dtype, {instruction.tile(1).dtype});
    if (same_lanes(best, instruction.tile(0))) return true;
    return wrong_valid(problem, row, "S04", 3, best, valid_text(instruction.tile(0)));
}

// Types of the positions of an argument reduction: 16-bit sources also have 16-bit positions.
DTypeSet argument_types(const Tile& source) {
    return bits(source.dtype) == 16 ? DTypeSet{kI32, kU32, kI16, kU16} : kIndex32;
}

// Positions in dst, and the rule of the plain reduction, which the architectures have in common.
bool check_argument(const Instruction& instruction, const InstructionInfo& row,
                    const LegalityRule& reduction, Problem& problem) {
    const DType type = instruction.tile(0).dtype;
    const DTypeSet allowed = argument_types(instruction.tile(1));
    if (!allowed.contains(type)) return wrong_type(problem, row, "T08", 0, type, allowed);
    return best_values(instruction, row, problem) &&
           reduction(instruction, row, Arch::kA2A3, problem);
}

bool check_row_argument(const Instruction& instruction, const InstructionInfo& row, Arch,
                        Problem& problem) {
    return check_argument(instruction, row, row_reduction, problem);
}

bool check_column_argument(const Instruction& instruction, const InstructionInfo& row, Arch,
                           Problem& problem) {
    return check_argument(instruction, row, column_reduction, problem);
}

}  // namespace

const LegalityRule row_argument{
    "row_argument", "T08 T01 S04 L02 S03 S06",
    "dst is of indices; as row_reduction; dstVal is like dst in the type of src",
    &check_row_argument};

const LegalityRule column_argument{
    "column_argument", "T08 T01 S04 L02 S03 S06",
    "dst is of indices; as column_reduction; dstVal is like dst in the type of src",
    &check_column_argument};

}  // namespace ptosim::rules

namespace ptosim::rows {

void row_argument_form(const WrittenOperation& op) {
    const Tile* src = op.tile("src");
    op.require(src == nullptr || !op.is_static("src") || valid_elements(*src) > 0, "S03",
               "needs a 'src' whose valid region is not empty");
}

namespace {

std::optional<Tile> like_source(const Instruction& i) {
    return scratch_tile_like(i.tile(1), i.tile(1).dtype);
}

// Values and indices of the vectors, each in whole blocks; along rows only beyond one vector.
std::string arguments(const ScratchUse& use, bool along_columns) {
    if (use.src == nullptr || bits(use.src->dtype) < 8) return {};
    if (use.tmp->valid_rows == use.src->valid_rows && use.tmp->valid_cols == use.src->valid_cols)
        return {};
    const int64_t lanes = 256 * 8 / bits(use.src->dtype), block = 32 * 8 / bits(use.src->dtype);
    if (!along_columns && use.src->valid_cols <= lanes) return {};
    const int64_t vectors = ceil_div(use.src->valid_cols, lanes);
    const int64_t columns = (ceil_div(2 * vectors, block) + ceil_div(vectors, block)) * block;
    return needs_at_least(use.tmp->valid_cols < columns, columns, "valid columns");
}

}  // namespace

const AssemblerScratch kRowArgumentScratch{
    .made = like_source, .lacks = [](const ScratchUse& use) { return arguments(use, false); }};
const AssemblerScratch kColumnArgumentScratch{
    .made = like_source, .lacks = [](const ScratchUse& use) { return arguments(use, true); }};

}  // namespace ptosim::rows
