// Changes of a program that would make a run of it shorter, each with what it would save: lists of finders, which
// replay the recorded tasks as they would then run.
#pragma once

#include "sim/mpmd/program_analysis.h"
#include "sim/mpmd/kernel_sites.h"
#include "sim/mpmd/task_replay.h"

namespace ptosim::mpmd {

struct Recorded {
    const Program& program;
    const Run& run;
    const TaskGraph& graph;
    Replay replay;
    Cycle end = 0;  // of the replay without a change
    KernelSites& sites;
    uint64_t clock_hz = 0;

    // What a change saves.
    Cycle saves(const Replay& changed) const {
        const Cycle then = end_of(changed);
        return end > then ? end - then : 0;
    }
    std::string us(Cycle cycles) const { return microseconds_text(cycles, clock_hz) + " us"; }
};

// Tasks that wait for others whose bytes they do not touch; tasks that only copy.
void propose_dependencies(const Recorded& recorded, std::vector<Saving>& savings);
// Tasks that are too small, too few, uneven, or submitted in an order that leaves the longest for the end.
void propose_tasks(const Recorded& recorded, std::vector<Saving>& savings);
// An orchestration that waits: for a slot of the window, for heap, or for a value.
void propose_submits(const Recorded& recorded, std::vector<Saving>& savings);

}  // namespace ptosim::mpmd
