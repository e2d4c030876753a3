// What the assembler requires of elementwise operations, selections and generated tiles
// (isa/assembler_rules.h).
#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

void inverse_root_form(const WrittenOperation& op) {
    op.require(!op.instruction.attributes.high_precision || op.given("tmp"), "S16",
               "with high_precision needs a scratch tile");
}

const AssemblerScratch kBitwiseScratch{.made = [](const Instruction& i) -> std::optional<Tile> {
                                           return scratch_tile_like(i.tile(0), i.tile(0).dtype);
                                       },
                                       .lacks = [](const ScratchUse& use) -> std::string {
                                           if (use.tmp->dtype != use.dst->dtype)
                                               return "has the type of the destination";
                                           return is_row_major(*use.tmp) ? "" : "is row-major";
                                       }};

namespace {

constexpr int64_t ramp_words(DType dtype) { return bits(dtype) == 16 ? 448 : 192; }
std::string mask_lacks(const ScratchUse& use) { return needs_bytes(use, 16); }

}  // namespace

const AssemblerScratch kRampScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        if (!is_integer(i.tile(0).dtype)) return std::nullopt;
        return full_scratch_tile(1, ramp_words(i.tile(0).dtype), DType::kF32);
    },
    .lacks =
        [](const ScratchUse& use) { return needs_bytes(use, 4 * ramp_words(use.dst->dtype)); }};

const AssemblerScratch kSelectScratch{.made = [](const Instruction&) -> std::optional<Tile> {
                                          return full_scratch_tile(1, 16, DType::kI32);
                                      },
                                      .lacks = mask_lacks};

const AssemblerScratch kSelectScalarScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        return scratch_tile(1, i.tile(2).cols, i.tile(2).dtype, 1, i.tile(2).valid_cols);
    },
    .lacks = mask_lacks};

}  // namespace ptosim::rows
