// Stops kernels whose control flow never ends: no core of this thread has done anything but scalar
// work and loads for some seconds of computing.
#pragma once

#include <cstdint>

namespace ptosim::assembly {

// Seconds of computing without progress that a kernel is allowed: PTOSIM_WATCHDOG, 10 by default; 0
// allows any number.
unsigned watchdog_seconds();

// Called when a core has issued an instruction or written to memory.
void note_progress();

class Watchdog {
 public:
    // Called now and then, in loops. True if there was no progress for watchdog_seconds().
    bool expired();

 private:
    uint64_t seen_ = UINT64_MAX;
    double since_ = 0;  // seconds of the thread's computing
};

}  // namespace ptosim::assembly
