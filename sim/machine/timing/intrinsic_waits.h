// Waits of a vector intrinsic of a2a3 for banks of UB (sim/machine/observe/bank_conflicts.h has the rules).
#pragma once

#include "isa/intrinsics/intrinsic.h"

namespace ptosim {

struct BankWaits {
    // Cycles over all repeats. Each repeat waits for the number of its blocks of 32 bytes in one bank group, minus one:
    // of the blocks that it reads or of the blocks that it writes, whichever is more.
    uint64_t groups = 0;
    uint64_t steps = 0;  // repeats that write a bank while they read it, out of step
};

BankWaits bank_waits(const IntrinsicCall& call);

}  // namespace ptosim
