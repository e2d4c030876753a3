// Other timings that a launch is also run by: how many are wanted, and their outcome.
#pragma once

#include <cstdint>

namespace ptosim {

// How many, and of which seed. `ptosim check` runs one by default where it is cheap: on at
// most kCheapBytes of global memory, after a launch of at most kCheapInstructions in which
// nothing was found. The command takes a third longer for it, at most half as long again.
struct ScheduleChoice {
    static constexpr uint64_t kCheapBytes = uint64_t{32} << 20;
    static constexpr uint64_t kCheapInstructions = 500;
    static constexpr unsigned kCheapCount = 1;

    unsigned count = 0;
    uint64_t seed = 0;
    bool only_if_cheap = false;
};

struct ScheduleSummary {
    unsigned schedules = 0;  // that ended, of all launches
    unsigned differ = 0;     // of them: those with other bits or findings
};

}  // namespace ptosim
