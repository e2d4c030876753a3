// Valid regions without an element: where they are legal, nothing is read and nothing is written.
#pragma once

#include "isa/instruction.h"

namespace ptosim {

// Whether the code of hw-native-sys/pto-isa (include/pto/npu/a2a3, a5) leaves without an effect
// because the valid region that it goes by is empty, whatever the others are. Which region that is
// says the row's trait `empty`. What has none and is not element-wise needs an element (S03).
bool does_nothing(const Instruction& instruction, Arch arch);
// On some architecture.
bool does_nothing(const Instruction& instruction);

}  // namespace ptosim
