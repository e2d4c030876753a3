// What the assembler requires of quantisation (isa/assembler_rules.h).
#include "isa/instructions/assembler_rules.h"
#include "isa/legality.h"
namespace ptosim::rows {

namespace {

// The valid elements follow each other.
bool is_compact(const Tile& tile) { return tile.valid_rows == 1 || tile.cols == tile.valid_cols; }

// Groups along rows: exponents in one row, or like the source.
void groups_along_rows(const WrittenOperation& op, int64_t groups) {
    const Tile &src = *op.tile("src"), &exp = *op.tile("exp"), &scaling = *op.tile("scaling");
    const bool wide = src.dtype == DType::kF32;
    if (exp.rows != 1) {
        op.require(exp.valid_rows != 1 || src.valid_rows == 1, "S09",
                   "needs a flat exp in a tile of one row");
        op.require(wide, "P02", "makes exponents of 16-bit floats in one row only");
        return;
    }
    op.require(src.cols == src.valid_cols, "S09",
               "with a flat exp needs a src without unused columns");
    op.require(wide || !op.instruction.attributes.nvidia_scale, "P02",
               "has no NV scales of 16-bit floats with a flat exp");
    const int64_t elements = int64_t{src.rows} * src.cols;
    const bool unrolled =
        elements > 1024 && elements % 256 == 0 && int64_t{src.valid_rows} * src.cols % 256 == 0;
    const int64_t needed =
        wide ? round_up(groups * (unrolled ? 2 : 1), 64) * 4 : round_up(groups, 128) * 2;
    op.require(packed_bytes(scaling) >= needed, "S09",
               "needs a scaling of " + std::to_string(needed) + " bytes: whole vectors");
}

}  // namespace

void quantise_mx_form(const WrittenOperation& op) {
    op.require(op.arch.block_scales, "P01", "exists on a5 only");
    const Attributes& modes = op.instruction.attributes;
    const Tile *src = op.tile("src"), *dst = op.tile("dst"), *exp = op.tile("exp"),
               *max = op.tile("max"), *scaling = op.tile("scaling");
    if (!src || !dst || !exp || !max || !scaling) return;
    for (const char* name : {"src", "dst", "exp", "max", "scaling"})
        op.require(op.is_static(name), "S09",
                   "needs the shape of '" + std::string(name) + "' in its type");
    const bool down = modes.group_rows;
    op.require(!down || !op.given("exp_zz"), "P02",
               "stores boxed exponents (exp_zz) of groups along rows (axis1) only");
    const bool fp4 = modes.quant == QuantType::kMxFp4E2M1;
    const int pack = fp4 ? 2 : 1;
    const int64_t groups = int64_t{src->valid_rows} * (src->valid_cols / 32);
    op.require(
        (down ? src->valid_rows : src->valid_cols) % 32 == 0, "S09",
        std::string("needs a multiple of 32 valid ") + (down ? "rows" : "columns") + " in src");
    const auto require_grouped = [&](const Tile& tile, const char* name) {
        const bool canonical = tile.valid_rows == (down ? src->valid_rows / 32 : src->valid_rows) &&
                               tile.valid_cols == (down ? src->valid_cols : src->valid_cols / 32);
        const bool flat = !down && tile.valid_rows == 1 && tile.valid_cols == groups;
        op.require(canonical || flat, "S09",
                   "needs one element of '" + std::string(name) +
                       "' for each group of 32: valid are " + rules::valid_text(tile));
    };
    require_grouped(*max, "max");
    require_grouped(*scaling, "scaling");
    if (modes.interleave) {
        op.require(down, "P02", "interleaves exponents of axis0 only");
        op.require(fp4 || src->dtype != DType::kF32, "P02",
                   "does not interleave the exponents of f32 that become 8-bit floats");
        op.require(src->valid_rows % 64 == 0 && src->rows % 64 == 0, "S09",
                   "needs a multiple of 64 rows, and of valid rows, in src to interleave");
        op.require(
            exp->valid_rows == src->valid_rows / 64 && exp->valid_cols == 2 * src->valid_cols,
            "S09", "interleaves exponents into half of the rows and twice the columns");
    } else {
        require_grouped(*exp, "exp");
    }
    op.require(!fp4 || src->cols % 2 == 0, "S09", "packs pairs: the columns of src are even");
    op.require(dst->valid_rows == src->valid_rows && dst->valid_cols == src->valid_cols / pack,
               "S04",
               "needs a dst of " + rules::shape_text(src->valid_rows, src->valid_cols / pack));
    op.require(!down || dst->cols == src->cols / pack || !fp4, "S09",
               "needs as many columns in dst as src has pairs");
    if (down) {
        op.require(!fp4 || (src->cols / pack) % 32 == 0 || src->dtype != DType::kF16, "P02",
                   "does not pack f16 along axis0 where rows of pairs are not whole blocks of 32 "
                   "bytes");
        op.require(max->cols == src->cols && scaling->cols == src->cols, "S09",
                   "needs the columns of src in max and scaling");
        op.require(modes.interleave || exp->cols == src->cols, "S09",
                   "needs the columns of src in exp");
        op.require(!modes.interleave ||
                       (exp->rows == src->rows / 64 && exp->cols == round_up(2 * src->cols, 32)),
                   "S09",
                   "needs an exp of rows / 64 by 2 columns, whole blocks of 32, to interleave");
    } else {
        op.require(dst->cols == src->cols / pack, "S09",
                   "needs the columns of src in dst, pairs as one");
        op.require(is_compact(*max) && is_compact(*scaling), "S09",
                   "needs the valid elements of max and scaling to follow each other");
        groups_along_rows(op, groups);
    }
    if (src->dtype != DType::kF32 && src->valid_cols < src->cols && 128 % src->cols == 0)
        op.require(src->valid_rows * src->cols % 128 == 0, "P02",
                   "does not pad a src of 16-bit floats whose last vector is not full");
}

void quantise_form(const WrittenOperation& op) {
    if (op.for_a5()) return;
    op.require(op.given("tmp") || op.is_static("src"), "S16",
               "needs a scratch tile where the valid region of 'src' is open");
    for (const char* name : {"scale", "fp", "offset"})
        if (const Tile* tile = op.tile(name))
            op.require(
                tile->outer != OuterLayout::kRowMajor, "L02",
                "takes '" + std::string(name) + "' in a layout that is not row-major on a2a3");
}

const AssemblerScratch kQuantiseScratch{.made = [](const Instruction& i) -> std::optional<Tile> {
    return scratch_tile_like(i.tile(1), DType::kF32);
}};

}  // namespace ptosim::rows
