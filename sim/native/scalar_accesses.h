// Scalar accesses of kernels: by pointers in compiled code, which instrumentation reports
// (sim/compile/instrumentation.h), and by functions of Ascend C that its headers mark.
#pragma once

#include "isa/core/kernel.h"
#include "ptosim/scalar_access.h"
#include "sim/native/accesses.h"

namespace ptosim {

// The memories in which a kernel's code reports its accesses.
ptosim_watch watch_of(const KernelPort& port);

// True if scalar code is counted on this kind of host: x86-64 and AArch64.
bool counts_scalar_code();

// Charges the kernel's code since the last call: its instructions (sim/compile/scalar_code.h), or its accesses of UB by
// pointers if they are not counted.
void charge_code(KernelPort& port);

// Reports an access by a plain pointer in a kernel's code. Returns false if no kernel is running.
bool note_kernel_access(const PlainAccess& access);

}  // namespace ptosim
