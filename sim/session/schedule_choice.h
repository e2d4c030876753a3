// Further timings under which a launch runs: their number, and the outcome.
#pragma once

#include <cstdint>

namespace ptosim {

// `ptosim check` runs one further timing by default if it is cheap: with at most kCheapBytes of global memory, after a
// launch of at most kCheapInstructions without findings. It adds a third to the time of the command, at most half.
struct ScheduleChoice {
    static constexpr uint64_t kCheapBytes = uint64_t{32} << 20;
    static constexpr uint64_t kCheapInstructions = 500;
    static constexpr unsigned kCheapCount = 1;

    unsigned count = 0;
    uint64_t seed = 0;
    bool only_if_cheap = false;
};

struct ScheduleSummary {
    unsigned schedules = 0;  // runs that ended, for all launches
    unsigned differ = 0;     // runs with other bits or findings
};

}  // namespace ptosim
