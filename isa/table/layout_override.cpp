#include "isa/table/layout_override.h"

namespace ptosim {

void override_layout(Instruction& instruction, Arch arch) {
    if (!may_override_layout(instruction.opcode) || instruction.attributes.insert_split != 0)
        return;
    if (instruction.operand_count < 2 || !instruction.operands[0].is_tile() ||
        !instruction.operands[1].is_tile())
        return;
    const Tile& from = instruction.tile(1);
    Tile& to = instruction.operands[0].tile;
    for (const LayoutOverride& row : traits(instruction.opcode).layout_overrides) {
        if (!holds(row.on, arch)) continue;
        if (from.space != row.from || layout_name(from) != row.from_layout || to.space != row.to ||
            layout_name(to) != row.declared)
            continue;
        Tile used = make_tile(to.space, to.dtype, to.cols, to.rows, OuterLayout::kColMajor,
                              InnerLayout::kRowMajor, to.fractal);
        used.address = to.address;
        used.pitch = to.pitch;
        used.pad = to.pad;
        used.pad_bits = to.pad_bits;
        used.compact = to.compact;
        to = used;
        return;
    }
}

}  // namespace ptosim
