// Legality rules of broadcasts along rows and columns, and the assembler's requirements on them.
#include "isa/instructions/expand_rules.h"

#include "isa/instructions/assembler_rules.h"
#include "isa/legality/legality.h"
#include "isa/table/access.h"

namespace ptosim::rules {

namespace {

bool check_row_expand(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                      Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (!check_row_major(instruction, row, 0, false, problem)) return false;
    if (does_nothing(instruction, arch)) return true;
    if (!check_not_empty(instruction, row, 1, problem)) return false;
    if (src.boxed())
        return fail(problem, "L02", 1,
                    operand_text(row, 1) + " has layout " + std::string(layout_name(src)) +
                        "; ND or DN is needed");
    if (src.valid_rows == dst.valid_rows) return true;
    problem.goes_on = src.rows >= dst.valid_rows;
    return fail(problem, "S07", 1,
                operand_text(row, 1) + " has " + std::to_string(src.valid_rows) +
                    " valid rows, but " + operand_text(row, 0) + " has " +
                    std::to_string(dst.valid_rows));
}

}  // namespace

const LegalityRule row_expand{
    "row_expand", "L02 S03 S07",
    "src has the rows of dst (a run goes on with a warning if it holds them)", &check_row_expand};

namespace {

bool check_column_expand(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                         Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (!check_row_major(instruction, row, 0, false, problem) ||
        !check_row_major(instruction, row, 1, false, problem))
        return false;
    if (does_nothing(instruction, arch)) return true;
    if (!check_not_empty(instruction, row, 1, problem)) return false;
    if (src.valid_cols == dst.valid_cols) return true;
    problem.goes_on = src.cols >= dst.valid_cols;
    return fail(problem, "S07", 1,
                operand_text(row, 1) + " has " + std::to_string(src.valid_cols) +
                    " valid columns, but " + operand_text(row, 0) + " has " +
                    std::to_string(dst.valid_cols));
}

}  // namespace

const LegalityRule column_expand{
    "column_expand", "L02 S03 S07",
    "src has the columns of dst (a run goes on with a warning if it holds them)",
    &check_column_expand};

namespace {

// hw-native-sys/pto-isa include/pto/npu/a2a3/TRowExpandAdd.hpp: the vector is a DN column, or ND
// with one block of 32 bytes per row, all of whose lanes hold the value. The first lane is read.
bool check_row_expand_binary(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                             Problem& problem) {
    if (!check_row_major(instruction, row, 0, false, problem)) return false;
    if (does_nothing(instruction, arch)) return true;
    const Tile& dst = instruction.tile(0);
    const bool first = same_lanes(instruction.tile(1), dst);
    const bool second = same_lanes(instruction.tile(2), dst);
    if (!first && !second)
        return fail(problem, "S07", 1,
                    operand_text(row, 1) + " (" + valid_text(instruction.tile(1)) + ") and " +
                        operand_text(row, 2) + " (" + valid_text(instruction.tile(2)) +
                        "): one of them needs the valid region of the destination, " +
                        valid_text(dst));
    const unsigned matrix = first ? 1 : 2;
    const unsigned at = first ? 2 : 1;
    if (!check_row_major(instruction, row, matrix, false, problem)) return false;
    const Tile& vector = instruction.tile(at);
    if (vector.boxed())
        return fail(problem, "L02", static_cast<int>(at),
                    operand_text(row, at) + " has layout " + std::string(layout_name(vector)) +
                        "; ND or DN is needed");
    const int block = static_cast<int>(32 * 8 / bits(vector.dtype));
    const bool column = vector.valid_cols == 1;
    const bool blocks =
        vector.outer == OuterLayout::kRowMajor && (vector.valid_cols == block || second);
    if (vector.valid_rows == dst.valid_rows && (column || blocks)) return true;
    problem.goes_on = (column || blocks) && vector.rows >= dst.valid_rows;
    return fail(problem, "S07", static_cast<int>(at),
                operand_text(row, at) + " has the valid region " + valid_text(vector) +
                    "; one column, or one block of " + std::to_string(block) +
                    " equal elements, for each of " + std::to_string(dst.valid_rows) +
                    " rows is needed");
}

}  // namespace

const LegalityRule row_expand_binary{"row_expand_binary", "L02 S07",
                                     "one source is like dst, the other has one value, or one "
                                     "block of 32 bytes, per row (a run goes "
                                     "on with a warning if it holds dst's rows)",
                                     &check_row_expand_binary};

namespace {

bool check_column_expand_binary(const Instruction& instruction, const InstructionInfo& row,
                                Arch arch, Problem& problem) {
    for (unsigned i = 0; i < 3; ++i)
        if (!check_row_major(instruction, row, i, false, problem)) return false;
    if (does_nothing(instruction, arch)) return true;
    const Tile& dst = instruction.tile(0);
    const bool first = same_lanes(instruction.tile(1), dst);
    if (!first && !same_lanes(instruction.tile(2), dst))
        return fail(problem, "S07", 1,
                    operand_text(row, 1) + " (" + valid_text(instruction.tile(1)) + ") and " +
                        operand_text(row, 2) + " (" + valid_text(instruction.tile(2)) +
                        "): one of them needs the valid region of the destination, " +
                        valid_text(dst));
    const unsigned at = first ? 2 : 1;
    const Tile& vector = instruction.tile(at);
    if (vector.valid_rows >= 1 && vector.valid_cols == dst.valid_cols) return true;
    return fail(problem, "S07", static_cast<int>(at),
                operand_text(row, at) + " has the valid region " + valid_text(vector) +
                    "; one row of " + std::to_string(dst.valid_cols) + " elements is needed");
}

}  // namespace

const LegalityRule column_expand_binary{
    "column_expand_binary", "L02 S07", "one source is like dst, the other has one value per column",
    &check_column_expand_binary};

}  // namespace ptosim::rules

namespace ptosim::rows {

void row_expand_form(const WrittenOperation& op) {
    const Tile* dst = op.tile("dst");
    if (dst == nullptr || !op.is_static("dst")) return;
    const bool marker = dst->valid_rows == 0 && dst->valid_cols == 0;
    op.require(marker || valid_elements(*dst) > 0, "S03",
               "needs a 'dst' whose valid region is not empty");
    if (!marker) require_same_valid(op, "src", "dst", Extents::kRows);
}

void column_expand_form(const WrittenOperation& op) {
    require_same_valid(op, "src", "dst", Extents::kColumns);
}

void column_expand_binary_form(const WrittenOperation& op) {
    require_same_shape(op, "src0", "dst");
    require_same_valid(op, "src0", "dst");
    require_same_valid(op, "src1", "dst", Extents::kColumns);
}

namespace {

bool is_like(const WrittenOperation& op, std::string_view operand) {
    const Tile tile = op.type(operand).tile, dst = op.type("dst").tile;
    const auto same = [](int32_t a, int32_t b) { return a < 0 || b < 0 || a == b; };
    return same(tile.valid_rows, dst.valid_rows) && same(tile.valid_cols, dst.valid_cols);
}

// One source is like dst, the other has one value per row in a column, or a block of 32 bytes of
// equal values in each row.
void require_row_vector(const WrittenOperation& op) {
    for (const std::string_view operand : {"src0", "src1", "dst"})
        if (op.tile(operand) == nullptr) return;
    const Tile target = op.type("dst").tile;
    if (target.valid_rows == 0 && target.valid_cols == 0) return;
    const bool first = is_like(op, "src0");
    op.require(first || is_like(op, "src1"), "S07",
               "takes a source with the valid region of 'dst'");
    const std::string_view expanded = first ? "src1" : "src0";
    require_same_valid(op, expanded, "dst", Extents::kRows);
    const Tile vector = op.type(expanded).tile;
    const auto block = static_cast<int32_t>(32 * 8 / bits(vector.dtype));
    const int32_t needed = is_row_major(vector) ? block : 1;
    op.require(vector.valid_cols < 0 || vector.valid_cols == needed, "S07",
               "takes a '" + std::string(expanded) + "' with " + std::to_string(needed) +
                   " valid columns in this layout, not " + std::to_string(vector.valid_cols));
}

}  // namespace

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

void row_expand_vector_form(const WrittenOperation& op) {
    require_row_vector(op);
    row_expand_binary_form(op);
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
