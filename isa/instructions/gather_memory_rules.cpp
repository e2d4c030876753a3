// Legality rules of gathers and scatters between a tile and global memory, and the assembler's requirements on them.
#include "isa/instructions/gather_memory_rules.h"

#include <algorithm>

#include "isa/core/arch.h"
#include "isa/instructions/assembler_rules.h"
#include "isa/legality/legality.h"

namespace ptosim::rules {

using enum DType;

namespace {

struct Extent {
    DType dtype;
    int64_t rows, cols;
};

Extent extent_of(const Operand& operand) {
    if (operand.is_tile())
        return {operand.tile.dtype, operand.tile.valid_rows, operand.tile.valid_cols};
    return {operand.global.dtype, operand.global.matrix_rows(), operand.global.matrix_cols()};
}

bool empty(const GlobalView& view) {
    return std::any_of(view.shape.begin(), view.shape.end(), [](int32_t n) { return n <= 0; });
}

// Into L1 indices come from global memory, and into UB from there
// (hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/MGather.hpp, MGatherCheckGm2L1).
bool index_place(const Instruction& instruction, const InstructionInfo& row, bool gather,
                 Problem& problem) {
    const bool global = instruction.operands[2].is_global();
    const Tile& tile = instruction.tile(gather ? 0 : 1);
    const bool to_l1 = gather && tile.space == Space::kL1;
    if (global != to_l1)
        return fail(problem, "L01", 2,
                    operand_text(row, 2) + (global ? " is in global memory" : " is in UB") +
                        "; it is in global memory if the destination is in L1, and in UB if not");
    if (to_l1 && layout_name(tile) != "NZ")
        return fail(problem, "L02", 0,
                    operand_text(row, 0) + " has layout " + std::string(layout_name(tile)) +
                        "; in L1 it is NZ");
    return true;
}

// A table of fractals and tiles of fractals go together, but in L1.
bool table_layout(const Instruction& instruction, const InstructionInfo& row, bool gather,
                  Problem& problem) {
    const Tile& tile = instruction.tile(gather ? 0 : 1);
    const GlobalView& view = instruction.operands[gather ? 1 : 0].global;
    const std::string_view layout = layout_name(tile);
    const bool nz = view.layout == GlobalLayout::kNZ;
    if (tile.space == Space::kL1 ? view.layout == GlobalLayout::kND
        : nz                     ? layout == "NZ"
                                 : !tile.boxed() && view.layout <= GlobalLayout::kDN)
        return true;
    return fail(problem, "L03", gather ? 0 : 1,
                std::string(row.name) + " does not go between a " + std::string(name(view.layout)) +
                    " view and a " + std::string(layout) + " tile in " +
                    std::string(name(tile.space)),
                "NZ views go with NZ tiles in UB; ND views with ND and DN tiles in UB, and with NZ "
                "tiles in L1");
}

// Threads that follow indices keep their data cache, of at least 32 KiB, and 8 KiB more
// in UB (hw-native-sys/pto-isa docs/isa/MGATHER.md).
bool below_data_cache(const Instruction& instruction, const InstructionInfo& row,
                      Problem& problem) {
    constexpr uint64_t kCeiling = 216 * 1024, kWhole = 256 * 1024;  // beyond the whole: A03
    for (unsigned i = 0; i < 3; ++i) {
        const Operand& operand = instruction.operands[i];
        if (!operand.is_tile() || operand.tile.space != Space::kUB) continue;
        const uint64_t end = operand.tile.address + operand.tile.byte_size();
        if (end > kCeiling && end <= kWhole)
            return fail(problem, "A09", static_cast<int>(i),
                        operand_text(row, i) + " ends at byte " + std::to_string(end) +
                            " of UB, of which " + std::string(row.name) + " leaves " +
                            std::to_string(kCeiling) + " next to its data cache",
                        "place its tiles lower, or gather in parts");
    }
    return true;
}

bool check_memory_indices(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                          Problem& problem) {
    const bool gather = instruction.operands[0].is_tile();
    const unsigned at = gather ? 0 : 1;
    const Tile& tile = instruction.tile(at);
    const GlobalView& view = instruction.operands[1 - at].global;
    const Extent indices = extent_of(instruction.operands[2]);
    if (traits_of(arch).gather_threads && !below_data_cache(instruction, row, problem))
        return false;
    const OutOfBounds policy = instruction.attributes.out_of_bounds;
    if (policy == (gather ? OutOfBounds::kSkip : OutOfBounds::kZero))
        return fail(
            problem, "P02", 2,
            std::string(row.name) + " does not " +
                (gather ? "skip indices that are outside; it gives 0 (zero)"
                        : "give 0 for indices that are outside; it leaves them out (skip)"));
    if (bits(tile.dtype) != bits(view.dtype))
        return fail(problem, "T05", static_cast<int>(at),
                    "the elements of the tile have " + std::to_string(bits(tile.dtype)) +
                        " bits, those of the view " + std::to_string(bits(view.dtype)));
    const DTypeSet atomic{kF32, kF16, kBF16, kI8, kU8, kI16, kU16, kI32, kU32};
    if (!gather && instruction.attributes.atomic != AtomicMode::kNone &&
        !atomic.contains(view.dtype))
        return wrong_type(problem, row, "G09", 0, view.dtype, atomic);
    if (!kIndex32.contains(indices.dtype))
        return wrong_type(problem, row, "T08", 2, indices.dtype, kIndex32);
    if (empty(view))
        return fail(problem, "S03", static_cast<int>(1 - at),
                    "the view is empty: " + to_text(view));
    if (!index_place(instruction, row, gather, problem) ||
        !table_layout(instruction, row, gather, problem))
        return false;
    const bool by_element = instruction.attributes.by_element;
    const int rows = tile.valid_rows;
    const bool fits = by_element ? indices.rows == rows && indices.cols == tile.valid_cols
                                 : (indices.rows == 1 && indices.cols >= rows) ||
                                       (indices.cols == 1 && indices.rows >= rows);
    if (!fits)
        return fail(problem, "S04", 2,
                    operand_text(row, 2) + " has " + shape_text(indices.rows, indices.cols) +
                        " indices; " +
                        (by_element ? valid_text(tile)
                                    : "one for each of " + std::to_string(rows) + " rows") +
                        " is needed");
    if (by_element || tile.valid_cols <= view.matrix_cols()) return true;
    return wrong_valid(problem, row, "S04", at, tile,
                       "at most " + std::to_string(view.matrix_cols()) + " columns");
}

}  // namespace

const LegalityRule memory_indices{
    "memory_indices", "A09 P02 T05 T08 S03 S04 G09 L01 L02 L03",
    "elements have one size; indices are of 32 bits, one per row or element, in UB, or for L1 in "
    "global memory; views and tiles are both of fractals or both not, but for L1; atomics take "
    "numbers of 8 to 32 bits",
    &check_memory_indices};

}  // namespace ptosim::rules

namespace ptosim::rows {

void memory_gather_form(const WrittenOperation& op) {
    op.require(op.has_attribute("coalesce"), "K09", "needs the attribute 'coalesce'");
}

void memory_scatter_form(const WrittenOperation& op) {
    const bool others = op.has_attribute("scatterAtomicOp") || op.has_attribute("scatterOob") ||
                        op.has_attribute("scatterConflict");
    op.require(op.has_attribute("coalesce") || !others, "K09",
               "needs 'coalesce' in addition to its other attributes");
    const Tile* src = op.tile("src");
    const AtomicMode atomic = op.instruction.attributes.atomic;
    if (src == nullptr || atomic == AtomicMode::kNone) return;
    const bool half = src->dtype == DType::kF16 && atomic == AtomicMode::kAdd;
    op.require(
        half || src->dtype == DType::kI32 || src->dtype == DType::kU32 || src->dtype == DType::kF32,
        "G09",
        "adds i32, f16 and f32, and compares i32 and f32, not " + std::string(name(src->dtype)));
}

}  // namespace ptosim::rows
