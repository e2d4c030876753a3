// Calls of intrinsics by compiled kernels.
#pragma once

#include "isa/core/instruction.h"
#include "sim/native/running_kernel.h"

namespace ptosim {

// The instruction of a call, with the current registers of the core. Throws DiagnosticError H13 for a name unknown to
// this simulator, or arguments that do not fit its row.
Instruction intrinsic_of(Running& core, const ptosim_intrinsic& from);

}  // namespace ptosim
