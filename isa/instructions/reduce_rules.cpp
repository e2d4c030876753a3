// The assembler's requirements on reductions.
#include "isa/instructions/reduce_rules.h"

#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

const AssemblerScratch kRowReduceScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        return scratch_tile_like(i.tile(1), i.tile(1).dtype);
    },
    .lacks = [](const ScratchUse& use) -> std::string {
        return use.tmp->dtype == use.dst->dtype ? "" : "has the type of the destination";
    }};

const AssemblerScratch kColumnSumScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        if (!i.attributes.binary_tree) return std::nullopt;
        return full_scratch_tile(ceil_div(rows_of(i.tile(1)), 2), cols_of(i.tile(1)),
                                 i.tile(1).dtype);
    },
    .lacks = [](const ScratchUse& use) -> std::string {
        if (!use.instruction.attributes.binary_tree || use.src == nullptr) return {};
        return needs_at_least(use.tmp->cols < use.src->valid_cols, use.src->valid_cols, "columns");
    },
    .asked_on_a5 = true};

void column_sum_form(const WrittenOperation& op) {
    op.require(!op.given("tmp") || op.has_attribute("isBinary"), "K09",
               "takes a scratch tile only with 'isBinary'");
}

}  // namespace ptosim::rows
