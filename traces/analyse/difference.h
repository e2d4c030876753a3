// Compares two runs: cycles, pipes, lines, outputs, findings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/analyse/analysis.h"

namespace ptosim {

struct Change {
    std::string what;  // "cycles", "AIC00 MTE2 busy", "gemm.pto:87"
    uint64_t before = 0;
    uint64_t after = 0;
    // In thousandths of `before`, rounded away from zero; 1000 if `before` is 0.
    int64_t permille() const;
    int64_t cycles() const { return static_cast<int64_t>(after) - static_cast<int64_t>(before); }
};

// A pipe of all cores of a type: on a chip of many cores most change alike.
struct PipeChange {
    Change mean;             // "AIC MTE2 busy"
    Change most;             // of the core on which it changed most: "AIC00"
    bool everywhere = true;  // by as many cycles on each core
};

struct Difference {
    Change cycles, instructions;
    Change time;                           // of the cycles, in picoseconds
    bool same_clock = true;                // if not, the time changes otherwise than the cycles
    std::vector<Change> pipes;             // busy, wait and idle of every pipe of every core
    std::vector<PipeChange> types;         // the same by type of core
    std::vector<Change> lines;             // busy by source line
    std::vector<std::string> outputs;      // one sentence for each output that differs
    std::vector<std::string> diagnostics;  // one line for each finding of only one of them
    std::string bottleneck_a, bottleneck_b;
    std::vector<std::string> notes;      // other chips, other kernels, incomplete recordings
    std::vector<std::string> truncated;  // "A", "B": not compared to their ends

    // Reasons why the runs are not within a tolerance: the cycles differ by more than `millionths`
    // of the first run's (with `allow_faster`, fewer cycles are allowed), outputs or findings
    // differ, or a run was not compared to its end. Empty if they are.
    std::vector<std::string> beyond(uint64_t millionths, bool allow_faster = false) const;
};

Difference compare(const Recording& a, const Analysis& of_a, const Recording& b,
                   const Analysis& of_b);

}  // namespace ptosim
