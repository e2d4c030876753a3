// What a vector intrinsic of a2a3 waits for banks of UB (sim/observe/bank_conflicts.h has the rules).
#pragma once

#include "isa/intrinsics/intrinsic.h"

namespace ptosim {

struct BankWaits {
    // Cycles over all repeats, each as many as its blocks of 32 bytes meet in one bank group, beyond the first:
    // those that it reads, or those that it writes, whichever is more.
    uint64_t groups = 0;
    uint64_t steps = 0;  // repeats that write a bank which they read, out of step
};

BankWaits bank_waits(const IntrinsicCall& call);

}  // namespace ptosim
