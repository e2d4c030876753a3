// Legality rules of transpositions, concatenation and padding, and the assembler's requirements on them.
#include "isa/instructions/rearrange_rules.h"

#include "isa/instructions/assembler_rules.h"
#include "isa/legality/legality.h"

namespace ptosim::rules {

namespace {

bool check_transposed(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                      Problem& problem) {
    const Convolution& shapes = instruction.attributes.convolution();
    if (shapes.dst.given() || shapes.src.given())
        return convolution_turn(instruction, row, arch, problem);
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (dst.valid_rows == src.valid_cols && dst.valid_cols == src.valid_rows) return true;
    return fail(problem, "S12", 0,
                operand_text(row, 0) + " has the valid region " + valid_text(dst) +
                    "; the transpose of " + valid_text(src) + " is " +
                    shape_text(src.valid_cols, src.valid_rows));
}

}  // namespace

const LegalityRule transposed{
    "transposed", "S12 L03 S04",
    "dst has the columns of src as rows; convolution tiles: a change of layout that the "
    "architecture has, of the same extents",
    &check_transposed};

namespace {

bool check_side_by_side(const Instruction& instruction, const InstructionInfo& row, Arch,
                        Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src0 = instruction.tile(1);
    const Tile& src1 = instruction.tile(2);
    if (src0.valid_rows == dst.valid_rows && src1.valid_rows == dst.valid_rows &&
        src0.valid_cols + src1.valid_cols <= dst.valid_cols)
        return true;
    return fail(problem, "S12", 0,
                operand_text(row, 0) + " has the valid region " + valid_text(dst) + "; " +
                    valid_text(src0) + " and " + valid_text(src1) + " do not make it side by side");
}

}  // namespace

const LegalityRule side_by_side{
    "side_by_side", "S12",
    "dst has the rows of both sources and at least the columns of both together",
    &check_side_by_side};

namespace {

// hw-native-sys/pto-isa include/pto/npu/a2a3/TFillPad.hpp.
bool check_fill_pad(const Instruction& instruction, const InstructionInfo& row, Arch,
                    Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (dst.pad == Pad::kNull)
        return fail(problem, "D06", 0,
                    operand_text(row, 0) + " has no pad value to fill with",
                    "give the tile type pad zero, max, min, or a custom pattern");
    if (dst.dtype != src.dtype)
        return fail(problem, "T01", 1,
                    operand_text(row, 1) + " is " + std::string(name(src.dtype)) + ", but " +
                        operand_text(row, 0) + " is " + std::string(name(dst.dtype)));
    if (src.valid_rows > dst.valid_rows || src.valid_cols > dst.valid_cols)
        return fail(problem, "S04", 0,
                    operand_text(row, 0) + " has the valid region " + valid_text(dst) +
                        ", less than the " + valid_text(src) + " of " + operand_text(row, 1));
    const bool larger = row.name == "TFILLPAD_EXPAND";
    const bool same = dst.rows == src.rows && dst.cols == src.cols;
    if (same || (larger && dst.rows >= src.rows && dst.cols >= src.cols)) return true;
    return fail(problem, "S05", 0,
                operand_text(row, 0) + " is " + shape_text(dst.rows, dst.cols) + ", " +
                    operand_text(row, 1) + " is " + shape_text(src.rows, src.cols),
                larger ? "" : "TFILLPAD_EXPAND fills into a larger tile");
}

}  // namespace

const LegalityRule fill_pad{
    "fill_pad", "D06 T01 S04 S05",
    "dst has a pad value, the type of src, no smaller valid region, and the same shape "
    "unless expanded",
    &check_fill_pad};

}  // namespace ptosim::rules

namespace ptosim::rows {

// In L1 the fill has the type of the filled tile.
void fill_pad_form(const WrittenOperation& op) {
    const Tile *src = op.tile("src"), *dst = op.tile("dst");
    op.require(dst == nullptr || bits(dst->dtype) <= 32, "T03",
               "fills tiles of elements of 1, 2 or 4 bytes");
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

// On a5 rows are whole blocks.
void transposition_form(const WrittenOperation& op) {
    if (!op.for_a5()) return;
    require_element_type_of(op, "tmp", "src");
    for (const std::string_view operand : {"src", "dst"})
        if (const Tile* tile = op.tile(operand)) {
            const int64_t lanes = tile->outer == OuterLayout::kRowMajor ? tile->cols : tile->rows;
            op.require(lanes * (bits(tile->dtype) / 8) % 32 == 0, "L04",
                       "takes a '" + std::string(operand) + "' of whole blocks of 32 bytes on a5");
        }
}

}  // namespace ptosim::rows
