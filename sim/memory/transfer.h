// What a transfer through shared memory met there.
#pragma once

#include <cstdint>

#include "sim/event/cycle.h"

namespace ptosim {

struct Transfer {
    Cycle behind = 0;          // cycles that its data take longer than from L2
    uint32_t hit_bytes = 0;    // that L2 held
    uint32_t miss_bytes = 0;   // whole sectors that it did not hold
    uint32_t again_bytes = 0;  // of these: what was accessed before in this run
    // To another chip's memory: its data are sent when its last byte has left, and `behind` is the way there and back.
    bool leaves_chip = false;
};

}  // namespace ptosim
