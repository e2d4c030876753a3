// Proposed changes of a program that shorten a run, with their savings: finders that replay the recorded tasks with the
// change.
#pragma once

#include "sim/faces/mpmd/kernel_sites.h"
#include "sim/faces/mpmd/program_analysis.h"
#include "sim/faces/mpmd/task_replay.h"

namespace ptosim::mpmd {

struct Recorded {
    const Program& program;
    const Run& run;
    const TaskGraph& graph;
    Replay replay;
    Cycle end = 0;  // of the replay without changes
    KernelSites& sites;
    uint64_t clock_hz = 0;

    // The saving of a change.
    Cycle saves(const Replay& changed) const {
        const Cycle then = end_of(changed);
        return end > then ? end - then : 0;
    }
    std::string us(Cycle cycles) const { return microseconds_text(cycles, clock_hz) + " us"; }
};

// Tasks that depend on others without sharing bytes, and tasks that only copy.
void propose_dependencies(const Recorded& recorded, std::vector<Saving>& savings);
// Tasks that are too small, too few or uneven, or submitted in an order that leaves the longest for the end.
void propose_tasks(const Recorded& recorded, std::vector<Saving>& savings);
// An orchestration that waits for a slot of the window, for heap, or for a value.
void propose_submits(const Recorded& recorded, std::vector<Saving>& savings);

}  // namespace ptosim::mpmd
