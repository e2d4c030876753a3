#include "isa/internal_flags.h"

#include <array>

#include "isa/arch.h"

namespace ptosim {

bool read_by_scalar_unit(const Instruction& instruction, unsigned operand, Arch arch) {
    const bool rows = instruction.opcode == Opcode::kMGATHER && !instruction.attributes.by_element;
    return !traits_of(arch).gather_threads && rows && operand == 2 &&
           instruction.operands[0].tile.space == Space::kUB;
}

std::span<const Pipe> awaited_pipes(const Instruction& instruction, Arch arch) {
    static constexpr std::array kGathers{Pipe::kV, Pipe::kMTE3, Pipe::kMTE2};
    static constexpr std::array kScatters{Pipe::kV, Pipe::kMTE2, Pipe::kMTE3};
    if (traits_of(arch).gather_threads) return {};
    // Rows go over the pipe that comes last here, in its order; elements, over the scalar unit.
    const size_t count = instruction.attributes.by_element ? 3 : 2;
    if (instruction.opcode == Opcode::kMSCATTER) return std::span{kScatters}.first(count);
    const bool gathers =
        instruction.opcode == Opcode::kMGATHER && instruction.operands[0].tile.space == Space::kUB;
    return gathers ? std::span{kGathers}.first(count) : std::span<const Pipe>{};
}

bool touches_scratch(Opcode opcode, Arch arch) { return !traits(opcode).scratch_untouched[arch]; }

std::span<const InternalFlag> internal_flags(Opcode opcode, Arch arch) {
    return traits(opcode).internal_flags[arch];
}

}  // namespace ptosim
