// Result of a transfer through shared memory.
#pragma once

#include <cstdint>

#include "sim/machine/event/cycle.h"

namespace ptosim {

struct Transfer {
    Cycle behind = 0;          // delay of its data compared with L2, in cycles
    Cycle least = 0;           // cycles that it takes at least, apart from latencies, because of what L2 lacks
    uint32_t hit_bytes = 0;    // bytes that L2 held
    uint32_t miss_bytes = 0;   // whole sectors that L2 did not hold
    uint32_t again_bytes = 0;  // part of miss_bytes: accessed before in this run
    uint32_t store = 0;        // number of a store to another chip's memory; 0: none
};

}  // namespace ptosim
