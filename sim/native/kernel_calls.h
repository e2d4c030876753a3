// The simulator's side of the kernel ABI: include/ptosim/kernel_abi.h.
#pragma once

#include "isa/core/kernel.h"
#include "ptosim/launch.h"
#include "sim/native/accesses.h"

namespace ptosim {

class NativeKernel;

// Runs a kernel's function on a core. What ends it early leaves as an exception: what the port has
// thrown, or DiagnosticError when the kernel itself has crashed (H10), loops for ever (H11), has
// stopped itself (H12) or has thrown an exception (H15).
void run_on_core(KernelPort& port, const NativeKernel& kernel, const ptosim_entry& entry,
                 KernelArguments arguments);

// A kernel's code, if one is running, accesses memory by a plain pointer. False if none is.
bool note_kernel_access(const PlainAccess& access);

}  // namespace ptosim
