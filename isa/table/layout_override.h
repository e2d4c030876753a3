// Operands that an instruction reads or writes in another layout than they declare.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim {

inline bool may_override_layout(Opcode opcode) { return !traits(opcode).layout_overrides.empty(); }

// Gives the target (operand 0) the layout that the instruction uses: rows and columns change places, and all of it is
// valid. Every front end calls this before it checks the legality of an instruction and issues it.
void override_layout(Instruction& instruction, Arch arch);

}  // namespace ptosim
