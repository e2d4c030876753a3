// Replays the recorded tasks of a run with a change: each begins when its submit and its dependencies have ended, plus
// a hand-over, on the first free core.
#pragma once

#include <vector>

#include "sim/faces/mpmd/task_graph.h"

namespace ptosim::mpmd {

struct ReplayedPart {
    CoreType core = CoreType::kAIV;
    Cycle takes = 0;
};

// A task at its place in the order of submits.
struct ReplayedTask {
    uint64_t id = kNoTask;
    std::string kernel;             // of its first part; empty: none
    Cycle gap = 0;                  // of the orchestration, since the previous submit
    Cycle submit = 0;               // time of its submit
    std::vector<uint32_t> after;    // tasks that it depends on, by number
    std::vector<ReplayedPart> parts;

    Cycle longest() const;
};

struct Replay {
    unsigned aics = 0, aivs = 0;
    Cycle begin = 0;
    // From the end of a task's wait to its begin: medians of the run.
    Cycle after_submit = 0, after_task = 0;
    std::vector<ReplayedTask> tasks;  // in the order of their submits
    unsigned cores(CoreType type) const { return type == CoreType::kAIC ? aics : aivs; }
};

// The run as recorded. Empty without records of submits.
Replay replay_of(const TaskGraph& graph, const Run& run);

// End of the last task.
Cycle end_of(const Replay& replay);

// The same tasks in another order of submits. `order` has the number of each; no task may precede its dependencies.
Replay reordered(const Replay& replay, const std::vector<uint32_t>& order);

}  // namespace ptosim::mpmd
