// Registers of the core for compiled kernels (isa/core/core_registers.h): the code of a block changes a copy.
#pragma once

#include "sim/native/running_kernel.h"

namespace ptosim {

// A block begins with the registers that the core has kept, and gives them back at its end.
void take_registers(Running& core);
void return_registers(Running& core);

// Reports that an instruction reads a register, for those that an earlier kernel has left.
void use_register(Running& core, unsigned number, std::string_view instruction, SourceLocation where);

}  // namespace ptosim
