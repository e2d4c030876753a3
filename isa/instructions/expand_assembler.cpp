// What the assembler requires of broadcasts along rows (isa/assembler_rules.h).
#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

void row_expand_form(const WrittenOperation& op) {
    const Tile* dst = op.tile("dst");
    if (dst == nullptr || !op.is_static("dst")) return;
    const bool marker = dst->valid_rows == 0 && dst->valid_cols == 0;
    op.require(marker || valid_elements(*dst) > 0, "S03",
               "needs a 'dst' whose valid region is not empty");
}

// Scratch is for one value per row, in a column.
void row_expand_binary_form(const WrittenOperation& op) {
    const Tile *first = op.tile("src0"), *second = op.tile("src1"), *dst = op.tile("dst");
    if (op.for_a5() || !op.given("tmp") || !first || !second || !dst) return;
    const bool like = first->valid_rows == dst->valid_rows && first->valid_cols == dst->valid_cols;
    const Tile& expanded = like ? *second : *first;
    op.require(expanded.outer == OuterLayout::kColMajor && expanded.valid_cols == 1, "S16",
               "takes a scratch tile on a2a3 only where one value per row, in a column, is "
               "expanded");
}

void row_expand_divide_form(const WrittenOperation& op) {
    op.require(!op.instruction.attributes.high_precision || op.given("tmp"), "S16",
               "with high_precision needs a scratch tile");
    row_expand_binary_form(op);
}

namespace {

// One value per row, in a column: the way of broadcasting that needs scratch.
std::optional<Tile> made(const Instruction& i) {
    const Tile &dst = i.tile(0), &first = i.tile(1), &second = i.tile(2);
    const auto same = [](int32_t a, int32_t b) { return a < 0 || b < 0 || a == b; };
    const auto fits = [&](const Tile& tile) {
        return same(tile.valid_rows, dst.valid_rows) && same(tile.valid_cols, dst.valid_cols);
    };
    const Tile& expanded = fits(first) ? second : first;
    const bool column = expanded.outer == OuterLayout::kColMajor &&
                        (expanded.valid_cols < 0 || expanded.valid_cols == 1);
    if (!(fits(first) || fits(second)) || !column) return std::nullopt;
    return full_scratch_tile(1, 8192 * 8 / bits(dst.dtype), dst.dtype);
}

std::string lacks(const ScratchUse& use) { return needs_bytes(use, 512); }

}  // namespace

const AssemblerScratch kExpandScratch{.made = made, .lacks = lacks};
const AssemblerScratch kExpandExpDifScratch{.lacks = lacks};

}  // namespace ptosim::rows
