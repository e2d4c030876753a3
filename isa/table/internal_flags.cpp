#include "isa/table/internal_flags.h"

namespace ptosim {

bool read_by_scalar_unit(const Instruction& instruction, unsigned operand, Arch arch) {
    const auto own = traits(instruction.opcode).read_by_scalar_unit;
    return own != nullptr && own(instruction, operand, arch);
}

std::span<const Pipe> awaited_pipes(const Instruction& instruction, Arch arch) {
    const auto own = traits(instruction.opcode).awaited_pipes;
    return own == nullptr ? std::span<const Pipe>{} : own(instruction, arch);
}

bool touches_scratch(const Instruction& instruction, Arch arch) {
    const InstructionTraits& row = traits(instruction.opcode);
    if (row.scratch_untouched[arch]) return false;
    return row.scratch_untouched_if == nullptr || !row.scratch_untouched_if(instruction, arch);
}

std::span<const InternalFlag> internal_flags(Opcode opcode, Arch arch) {
    return traits(opcode).internal_flags[arch];
}

}  // namespace ptosim
