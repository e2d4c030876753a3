// The simulator's side of the kernel ABI: include/ptosim/kernel_abi.h.
#pragma once

#include "isa/core/kernel.h"
#include "ptosim/launch.h"

namespace ptosim {

class NativeKernel;

// Runs a kernel's function on a core. If it ends early, this throws: the exception of the port, or DiagnosticError if
// the kernel itself has crashed (H10), loops endlessly (H11), has stopped itself (H12) or has thrown an exception
// (H15).
void run_on_core(KernelPort& port, const NativeKernel& kernel, const ptosim_entry& entry,
                 KernelArguments arguments);

}  // namespace ptosim
