// How often each step of a program has been executed, over all cores and launches.
#pragma once

#include <cstdint>
#include <vector>

namespace ptosim::assembly {

struct StepCounts {
    std::vector<uint64_t> executed;
    std::vector<uint64_t>
        jumped;  // of these: the times that something else than the next step came
};

}  // namespace ptosim::assembly
