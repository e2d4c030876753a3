// The assembler's requirements on remainders and powers.
#include "isa/instructions/remainder_rules.h"

#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

void power_form(const WrittenOperation& op) {
    const bool high = op.instruction.attributes.high_precision;
    const Tile* dst = op.tile("dst");
    op.require(!high || op.for_a5(), "P02", "has no high_precision on a2a3");
    op.require(!high || dst == nullptr || !is_integer(dst->dtype), "T03",
               "has high_precision for f16, f32 and bf16 only");
    op.require(high || dst == nullptr || dst->dtype != DType::kBF16, "T03",
               "takes bf16 with high_precision only");
    require_scalar_of(op, "scalar", "dst");
    op.require(!op.given("tmp") || dst == nullptr || !is_integer(dst->dtype), "S16",
               "takes no scratch tile with integers");
}

void remainder_form(const WrittenOperation& op) {
    require_scalar_of(op, "scalar", "dst");
    require_element_type_of(op, "tmp", "dst");
}

const AssemblerScratch kPowerScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        if (is_integer(i.tile(0).dtype)) return std::nullopt;
        return scratch_tile_like(i.tile(0), i.tile(0).dtype);
    },
    .lacks = [](const ScratchUse& use) -> std::string {
        if (is_integer(use.dst->dtype)) return "does not exist for integers";
        const bool same = use.tmp->valid_rows == use.dst->valid_rows &&
                          use.tmp->valid_cols == use.dst->valid_cols;
        return same ? "" : "has the valid region of the destination";
    },
    .asked_on_a5 = true};

const AssemblerScratch kRemainderScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        return scratch_tile(2, i.tile(0).cols, i.tile(0).dtype, 2, i.tile(0).valid_cols);
    },
    .lacks =
        [](const ScratchUse& use) {
            return needs_at_least(use.tmp->valid_rows < 2, 2, "valid rows");
        }};

const AssemblerScratch kRemainderScalarScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        return scratch_tile(1, i.tile(0).cols, i.tile(0).dtype, 1, i.tile(0).valid_cols);
    },
    .lacks =
        [](const ScratchUse& use) {
            return needs_at_least(use.tmp->valid_rows < 1, 1, "valid row");
        }};

}  // namespace ptosim::rows
