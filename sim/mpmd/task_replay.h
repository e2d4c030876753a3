// The recorded tasks of a run as they would run after a change: each begins when its submit and the tasks that it
// depends on have ended, plus a hand-over, on the core that is free first.
#pragma once

#include <vector>

#include "sim/mpmd/task_graph.h"

namespace ptosim::mpmd {

struct ReplayedPart {
    CoreType core = CoreType::kAIV;
    Cycle takes = 0;
};

// A task, where it stands in the order of submits.
struct ReplayedTask {
    uint64_t id = kNoTask;
    std::string kernel;             // of its first part; empty: it has none
    Cycle gap = 0;                  // of the orchestration, from the submit before
    Cycle submit = 0;               // what its own submit takes
    std::vector<uint32_t> after;    // tasks that it depends on, by number
    std::vector<ReplayedPart> parts;

    Cycle longest() const;
};

struct Replay {
    unsigned aics = 0, aivs = 0;
    Cycle begin = 0;
    // From what a task waits for to its begin: medians of the run.
    Cycle after_submit = 0, after_task = 0;
    std::vector<ReplayedTask> tasks;  // in the order of their submits
    unsigned cores(CoreType type) const { return type == CoreType::kAIC ? aics : aivs; }
};

// The run as it was. Empty without records of submits.
Replay replay_of(const TaskGraph& graph, const Run& run);

// When the last task ends.
Cycle end_of(const Replay& replay);

// The same tasks in another order of submits: `order` has the number of each, and no task stands in it before one
// that it depends on.
Replay reordered(const Replay& replay, const std::vector<uint32_t>& order);

}  // namespace ptosim::mpmd
