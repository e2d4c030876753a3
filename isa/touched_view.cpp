#include "isa/touched_view.h"

#include "isa/instruction_table.h"

namespace ptosim {

GlobalView touched_view(const Instruction& instruction, unsigned operand) {
    GlobalView view = instruction.operands[operand].global;
    const TimingClass kind = info(instruction.opcode).timing;
    const bool transfer = kind == TimingClass::kLoad || kind == TimingClass::kStore;
    // A third operand says which elements: any of the view.
    if (!transfer || instruction.operand_count != 2 || !instruction.operands[1 - operand].is_tile())
        return view;
    const Tile& tile = instruction.tile(1 - operand);
    const bool by_rows = view.layout == GlobalLayout::kND;
    const bool by_columns = view.layout == GlobalLayout::kDN;
    if (tile.space != Space::kUB || tile.boxed() || !(by_rows || by_columns)) return view;
    const auto rows = tile.valid_rows, cols = tile.valid_cols;
    if (layout_name(tile) != (by_rows ? "ND" : "DN") || rows > view.matrix_rows() ||
        cols > view.matrix_cols())
        return view;
    const bool outer = view.shape[0] != 1 || view.shape[1] != 1 || view.shape[2] != 1;
    if (by_rows || !outer) view.shape[4] = cols;
    if (by_columns || !outer) view.shape[3] = rows;
    return view;
}

}  // namespace ptosim
