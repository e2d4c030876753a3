// What a vector intrinsic of a2a3 waits for banks of UB (sim/observe/bank_conflicts.h has the rules).
#pragma once

#include "isa/intrinsics/intrinsic.h"

namespace ptosim {

struct BankWaits {
    uint64_t reads = 0;   // blocks of 32 bytes that come a cycle later, over all repeats
    uint64_t writes = 0;  // repeats that write a bank which they read, out of step
};

BankWaits bank_waits(const IntrinsicCall& call);

}  // namespace ptosim
