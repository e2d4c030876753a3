// Operands that an instruction reads or writes under another layout than their declaration's.
#pragma once

#include "isa/instruction_traits.h"

namespace ptosim {

inline bool may_override_layout(Opcode opcode) { return !traits(opcode).layout_overrides.empty(); }

// Makes the target (operand 0) what it is used as: rows and columns change places, and all of it is
// valid. Every front end does so with what it is about to issue, and before it asks whether that is
// legal.
void override_layout(Instruction& instruction, Arch arch);

}  // namespace ptosim
