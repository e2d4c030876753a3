// What the assembler requires of transpositions, padding and sorts (isa/assembler_rules.h).
#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

// In L1 the fill is of the type of what is filled.
void fill_pad_form(const WrittenOperation& op) {
    const Tile *src = op.tile("src"), *dst = op.tile("dst");
    if (src == nullptr || dst == nullptr || dst->space != Space::kL1) return;
    const Tile from = op.type("src").tile, to = op.type("dst").tile;
    op.require(from.rows == to.rows && from.cols == to.cols && from.valid_rows == to.valid_rows &&
                   from.valid_cols == to.valid_cols && from.pad == to.pad,
               "K07", "in mat takes a src and a dst of one type");
}

const AssemblerScratch kTransposeScratch{.made = [](const Instruction& i) -> std::optional<Tile> {
    const Tile &dst = i.tile(0), &src = i.tile(1);
    const int64_t bytes = bits(src.dtype) / 8, block = 32 / bytes;
    const bool used =
        dst.cols % (bytes == 1 ? 32 : 16) == 0 && src.cols % block == 0 && src.cols / block <= 255;
    return used ? scratch_tile_like(src, src.dtype) : full_scratch_tile(1, block, src.dtype);
}};

const AssemblerScratch kSortScratch{.made = [](const Instruction& i) -> std::optional<Tile> {
    const Tile& src = i.tile(1);
    if (src.valid_cols < 0) return full_scratch_tile(src.rows, src.cols, src.dtype);
    if (src.valid_cols % 32 == 0) return std::nullopt;
    return scratch_tile_like(src, src.dtype);
}};

const AssemblerScratch kMergeScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        constexpr unsigned kFirstList = 2, kMostLists = 4;
        int64_t cols = 0, lists = 0;
        for (unsigned at = kFirstList; at < i.operand_count && at < kFirstList + kMostLists; ++at)
            if (i.operands[at].is_tile()) {
                cols += i.tile(at).cols;
                ++lists;
            }
        if (lists < 2) return std::nullopt;
        return full_scratch_tile(1, std::max<int64_t>(cols, i.tile(0).cols),
                                 i.tile(kFirstList).dtype);
    },
    .lacks =
        [](const ScratchUse& use) {
            return needs_at_least(use.tmp->cols < use.dst->cols, use.dst->cols, "columns");
        },
    .behind_lists = true};

}  // namespace ptosim::rows
