// Number of executions of each step of a program, over all cores and launches.
#pragma once

#include <cstdint>
#include <vector>

namespace ptosim::assembly {

struct StepCounts {
    std::vector<uint64_t> executed;
    std::vector<uint64_t>
        jumped;  // of these: how often it was followed by another step than the next
};

}  // namespace ptosim::assembly
