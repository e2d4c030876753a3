// What a run of many kernels has done, task by task, and its file program.json.
#pragma once

#include <string>
#include <vector>

#include "sim/observe/observer.h"

namespace ptosim::mpmd {

struct Task {
    CoreId core;
    std::string kernel;
    Cycle begin = 0, end = 0;
};

// A processor's share of a run.
struct Work {
    unsigned processor = 0;
    Cycle begin = 0, end = 0;
    uint64_t blocks = 0, loads = 0, stores = 0, spins = 0;
};

struct Program {
    std::vector<Task> tasks;  // in the order of their ends
    std::vector<Work> work;
};

// Of cycles, rounded down.
uint64_t nanoseconds(Cycle cycles, uint64_t clock_hz);

// A trace in Chrome's format: a lane for each processor, and for each core its tasks by the names
// of their kernels. Times are microseconds, with three decimals.
std::string program_trace(const Program& program, uint64_t clock_hz);
// By kernel: count, mean, shortest and longest time. Empty if there was no task.
std::string program_text(const Program& program, uint64_t clock_hz);

}  // namespace ptosim::mpmd
