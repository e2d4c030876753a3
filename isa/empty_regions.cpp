#include "isa/empty_regions.h"

#include "isa/arch.h"
#include "isa/instruction_traits.h"

namespace ptosim {

bool does_nothing(const Instruction& instruction, Arch arch) {
    const EmptyRegion& empty = traits(instruction.opcode).empty;
    if (empty.operands == 0 ||
        (empty.memory_only && traits_of(arch).vector_operands != VectorOperands::kMemory))
        return false;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if ((empty.operands >> i & 1) == 0) continue;
        const Tile& tile = instruction.tile(i);
        if (tile.valid_rows == 0 || (!empty.rows_only && tile.valid_cols == 0)) return true;
    }
    return false;
}

bool does_nothing(const Instruction& instruction) { return does_nothing(instruction, Arch::kA2A3); }

}  // namespace ptosim
