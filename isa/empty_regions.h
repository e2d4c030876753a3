// Valid regions without an element: where they are legal, nothing is read and nothing is written.
#pragma once

#include "isa/instruction.h"

namespace ptosim {

// Whether the implementation (hw-native-sys/pto-isa include/pto/npu/a2a3, a5) has no effect
// because the valid region that sizes its loops is empty. The row's trait `empty` names
// that operand; an instruction without it that is not element-wise needs an element (S03).
bool does_nothing(const Instruction& instruction, Arch arch);
// Whether it has none on any architecture.
bool does_nothing(const Instruction& instruction);

}  // namespace ptosim
