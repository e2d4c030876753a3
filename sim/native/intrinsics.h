// Calls of intrinsics by compiled kernels.
#pragma once

#include "isa/core/instruction.h"
#include "sim/native/running_kernel.h"

namespace ptosim {

// The instruction of a call, with the registers of the core as they are now. Throws DiagnosticError:
// H13 for a name that this simulator does not have, or arguments that do not fit its row.
Instruction intrinsic_of(const Running& core, const ptosim_intrinsic& from);

}  // namespace ptosim
