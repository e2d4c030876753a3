// What the assembler requires of reductions to positions (isa/assembler_rules.h).
#include "isa/instructions/assembler_rules.h"

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
