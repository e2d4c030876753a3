// Legality rules of quantisation, and the assembler's requirements on them.
#include "isa/instructions/quantise_rules.h"

#include "isa/instructions/assembler_rules.h"
#include "isa/legality/legality.h"

namespace ptosim::rules {

using enum DType;

namespace {

bool check_quantised(const Instruction& instruction, const InstructionInfo& row, Arch,
                     Problem& problem) {
    const QuantType kind = instruction.attributes.quant;
    if (kind != QuantType::kInt8Sym && kind != QuantType::kInt8Asym)
        return fail(problem, "T04", 0, "TQUANT makes 8-bit integers: INT8_SYM and INT8_ASYM",
                    "block-scaled floats are made by TQUANT_MX (tquant.mx)");
    const DType to = kind == QuantType::kInt8Sym ? kI8 : kU8;
    if (instruction.tile(0).dtype != to)
        return wrong_type(problem, row, "T04", 0, instruction.tile(0).dtype, {to});
    if ((kind == QuantType::kInt8Asym) != given(instruction, 3))
        return fail(problem, "T00", 3, "INT8_ASYM needs an offset; INT8_SYM takes none");
    for (unsigned i = 2; i < 4; ++i)
        if (given(instruction, i) &&
            (instruction.tile(i).dtype != kF32 || instruction.tile(i).valid_rows < 1 ||
             instruction.tile(i).valid_cols < 1))
            return wrong_type(problem, row, "T01", i, instruction.tile(i).dtype, {kF32});
    if (same_lanes(instruction.tile(0), instruction.tile(1))) return true;
    return wrong_valid(problem, row, "S04", 0, instruction.tile(0),
                       valid_text(instruction.tile(1)));
}

}  // namespace

const LegalityRule quantised{"quantised", "T00 T01 T04 S04",
                             "INT8_SYM makes i8, INT8_ASYM u8 with an offset; scales are f32",
                             &check_quantised};

namespace {

bool check_dequantised(const Instruction& instruction, const InstructionInfo& row, Arch,
                       Problem& problem) {
    for (unsigned i : {0u, 2u, 3u})
        if (instruction.tile(i).dtype != kF32)
            return wrong_type(problem, row, "T04", i, instruction.tile(i).dtype, {kF32});
    for (unsigned i : {2u, 3u})
        if (instruction.tile(i).valid_rows < 1 || instruction.tile(i).valid_cols < 1)
            return wrong_valid(problem, row, "S03", i, instruction.tile(i), "at least one value");
    if (same_lanes(instruction.tile(0), instruction.tile(1))) return true;
    return wrong_valid(problem, row, "S04", 1, instruction.tile(1),
                       valid_text(instruction.tile(0)));
}

}  // namespace

const LegalityRule dequantised{"dequantised", "T04 S03 S04",
                               "dst, scale and offset are f32 and not empty", &check_dequantised};

namespace {

// hw-native-sys/pto-isa include/pto/cpu/TQuant.hpp, the overload with VecStoreMode::NZ.
bool boxed_exponents(const Instruction& instruction, const InstructionInfo& row, Problem& problem) {
    const Tile& src = instruction.tile(1);
    const Tile& boxes = instruction.tile(5);
    if (instruction.attributes.group_rows || instruction.attributes.quant != QuantType::kMxFp8)
        return fail(problem, "P02", 5,
                    operand_text(row, 5) + " is of MXFP8 in groups along the rows (axis1)");
    if (boxes.dtype != instruction.tile(2).dtype)
        return wrong_type(problem, row, "T01", 5, boxes.dtype, {instruction.tile(2).dtype});
    const int groups = mx_groups(src.valid_cols);
    if (src.valid_rows % 16 != 0 || src.valid_cols % (2 * kMxGroup) != 0)
        return wrong_valid(problem, row, "S09", 1, src,
                           "a multiple of 16 rows and of 64 columns, for " + operand_text(row, 5));
    if (boxes.rows == 1 && boxes.valid_cols == src.valid_rows * groups) return true;
    return wrong_valid(problem, row, "S09", 5, boxes, shape_text(1, src.valid_rows * groups));
}

// hw-native-sys/PTOAS docs/PTO_IR_manual.md, pto.tquant.mx.
bool check_mx_quantised(const Instruction& instruction, const InstructionInfo& row, Arch,
                        Problem& problem) {
    const Attributes& modes = instruction.attributes;
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    const bool fp4 = modes.quant == QuantType::kMxFp4E2M1;
    if (!fp4 && modes.quant != QuantType::kMxFp8)
        return fail(problem, "T04", 0, "TQUANT_MX makes MXFP8 and MXFP4_E2M1",
                    "8-bit integers are made by TQUANT");
    if (modes.interleave && !modes.group_rows)
        return fail(problem, "P02", 2,
                    "exponents are interleaved only in groups down the columns (axis0)");
    if (fp4 && src.dtype == kF32) return wrong_type(problem, row, "T03", 1, kF32, {kF16, kBF16});
    const DTypeSet targets = fp4 ? DTypeSet{kE2M1} : DTypeSet{kI8, kU8, kE4M3};
    if (!targets.contains(dst.dtype)) return wrong_type(problem, row, "T04", 0, dst.dtype, targets);
    const DTypeSet exponents{kI8, kU8, kE8M0};
    if (!exponents.contains(instruction.tile(2).dtype))
        return wrong_type(problem, row, "T04", 2, instruction.tile(2).dtype, exponents);
    for (unsigned i : {3u, 4u})
        if (instruction.tile(i).dtype != src.dtype)
            return wrong_type(problem, row, "T01", i, instruction.tile(i).dtype, {src.dtype});
    if (!same_lanes(dst, src)) return wrong_valid(problem, row, "S04", 0, dst, valid_text(src));
    const bool down = modes.group_rows;
    const int length = down ? src.valid_rows : src.valid_cols;
    const int unit = modes.interleave ? 2 * kMxGroup : kMxGroup;
    // The library sets the columns after the last one of 16-bit floats to zero.
    const bool part = !down && src.dtype != kF32;
    if (length < 1 || (length % unit != 0 && !part))
        return wrong_valid(problem, row, "S09", 1, src,
                           "a multiple of " + std::to_string(unit) + (down ? " rows" : " columns"));
    const int rows = down ? mx_groups(src.valid_rows) : src.valid_rows;
    const int cols = down ? src.valid_cols : mx_groups(src.valid_cols);
    for (unsigned i : {2u, 3u, 4u}) {
        const Tile& tile = instruction.tile(i);
        const bool grouped = tile.valid_rows == rows && tile.valid_cols == cols;
        // One after the other, a tile may have room for more (whole boxes, for TMOV with scratch).
        const bool flat = !down && tile.rows == 1 && tile.valid_cols >= rows * cols;
        const bool paired = tile.valid_rows == rows / 2 && tile.valid_cols == 2 * cols;
        if (i == 2 && modes.interleave ? !paired : !grouped && !flat)
            return wrong_valid(problem, row, "S09", i, tile, shape_text(rows, cols));
    }
    return !given(instruction, 5) || boxed_exponents(instruction, row, problem);
}

}  // namespace

const LegalityRule mx_quantised{
    "mx_quantised", "T01 T04 S09 P02 T03 S04",
    "f32 (not for MXFP4), f16 or bf16 in groups of 32, whole ones for f32 and down the columns; exp, max and scaling have "
    "one element for each",
    &check_mx_quantised};

}  // namespace ptosim::rules

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
    const Tile* dst = op.tile("dst");
    op.require(dst == nullptr || bits(dst->dtype) == 8, "T04", "makes i8 or ui8");
    if (op.for_a5()) return;
    op.require_lately(op.given("tmp") || op.is_static("src"), "S16",
                      "needs a scratch tile where the valid region of 'src' is open");
    for (const char* name : {"scale", "fp", "offset"})
        if (const Tile* tile = op.tile(name))
            op.require_lately(
                tile->outer != OuterLayout::kRowMajor, "L02",
                "takes '" + std::string(name) + "' in a layout that is not row-major on a2a3");
}

// No scratch tile for a row-major scale: the assembler refuses the operation, and releases without that rule accept it
// without a scratch tile, for which the tile library reads scales differently.
const AssemblerScratch kQuantiseScratch{.made = [](const Instruction& i) -> std::optional<Tile> {
    const Tile &src = i.tile(1), &scale = i.tile(2);
    if (src.valid_rows < 0 || src.valid_cols < 0 || is_row_major(scale)) return {};
    return scratch_tile_like(src, DType::kF32);
}};

}  // namespace ptosim::rows
