// What the assembler requires of fused operations (isa/assembler_rules.h).
#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

// The tile library has it on a5, too.
void add_relu_form(const WrittenOperation& op) {
    op.require(!op.for_a5(), "P01", "exists on a2a3 only");
}

const AssemblerScratch kPreluScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        const int64_t rows = rows_of(i.tile(0)), cols = ceil_div(cols_of(i.tile(0)), 8);
        return scratch_tile(rows + 1, std::max<int64_t>(32, round_up(cols, 32)), DType::kU8, rows,
                            cols);
    },
    .lacks = [](const ScratchUse& use) -> std::string {
        const int64_t rows = use.dst->valid_rows + int64_t{1};
        const int64_t cols = ceil_div(use.dst->valid_cols, 8);
        if (use.tmp->rows < rows) return needs_at_least(true, rows, "rows");
        return needs_at_least(use.tmp->valid_cols < cols, cols, "valid columns");
    }};

}  // namespace ptosim::rows
