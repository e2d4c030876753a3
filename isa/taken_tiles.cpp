#include "isa/taken_tiles.h"

namespace ptosim {

void take_target(Instruction& instruction, Arch arch) {
    if (!may_take_otherwise(instruction.opcode) || instruction.attributes.insert_split != 0) return;
    if (instruction.operand_count < 2 || !instruction.operands[0].is_tile() ||
        !instruction.operands[1].is_tile())
        return;
    const Tile& from = instruction.tile(1);
    Tile& to = instruction.operands[0].tile;
    for (const TakenTarget& row : kTakenTargets) {
        if (row.opcode != instruction.opcode || !holds(row.on, arch)) continue;
        if (from.space != row.from || layout_name(from) != row.from_layout || to.space != row.to ||
            layout_name(to) != row.declared)
            continue;
        Tile taken = make_tile(to.space, to.dtype, to.cols, to.rows, OuterLayout::kColMajor,
                               InnerLayout::kRowMajor, to.fractal);
        taken.address = to.address;
        taken.pitch = to.pitch;
        taken.pad = to.pad;
        taken.pad_bits = to.pad_bits;
        taken.compact = to.compact;
        to = taken;
        return;
    }
}

}  // namespace ptosim
