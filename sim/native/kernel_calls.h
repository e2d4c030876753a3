// The simulator's side of the kernel ABI: include/ptosim/kernel_abi.h.
#pragma once

#include "isa/core/kernel.h"
#include "ptosim/launch.h"
#include "sim/native/accesses.h"

namespace ptosim {

class NativeKernel;

// Runs a kernel's function on a core. If it ends early, this throws: the exception of the port, or DiagnosticError if
// the kernel itself has crashed (H10), loops endlessly (H11), has stopped itself (H12) or has thrown an exception
// (H15).
void run_on_core(KernelPort& port, const NativeKernel& kernel, const ptosim_entry& entry,
                 KernelArguments arguments);

// Reports an access by a plain pointer in a kernel's code. Returns false if no kernel is running.
bool note_kernel_access(const PlainAccess& access);

}  // namespace ptosim
