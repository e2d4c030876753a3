// Converts records of the kernel ABI (ptosim/kernel_abi.h) to records of the machine.
#pragma once

#include <span>

#include "isa/core/instruction.h"
#include "sim/native/running_kernel.h"

namespace ptosim {

// These throw DiagnosticError: H13 for a number unknown to this simulator, A05 for a tile without an address.
DType dtype_of(const Running& core, unsigned number, ptosim_location where);
Tile tile_of(const Running& core, const ptosim_tile& tile, ptosim_location where);
GlobalView view_of(const Running& core, const ptosim_global& global, ptosim_location where);
Instruction instruction_of(const Running& core, const ptosim_instruction& from);
// Throws V01 to V03 for an operation that violates a rule.
Instruction vector_function_of(const Running& core, std::span<const ptosim_vector_operation> from,
                               ptosim_location where);

}  // namespace ptosim
