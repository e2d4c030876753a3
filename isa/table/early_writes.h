// Operands that share bytes although the implementation writes one while it has still to read the other.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim {

// The first of the row's early writes whose operands share bytes; null if there is none.
const EarlyWrite* early_write(const Instruction& instruction, Arch arch);

}  // namespace ptosim
