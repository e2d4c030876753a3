// The tasks of a run with indices for analyses: in the order of their begins, by ids, by core, and with the reason that
// held each of them back.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "sim/faces/mpmd/program.h"

namespace ptosim::mpmd {

class TaskGraph {
 public:
    TaskGraph(const Program& program, const Run& run);

    const Task& task(size_t index) const { return program_.tasks[index]; }
    // The tasks of the run, as indices into the program's.
    const std::vector<size_t>& by_begin() const { return order_; }
    // End of its submit; if not recorded, the begin of the run.
    Cycle submitted(uint64_t id) const;
    // Tasks that a task depends on. A task without a kernel (an allocation) is replaced by its own dependencies.
    std::set<uint64_t> before(uint64_t id) const;
    const std::vector<size_t>& parts(uint64_t id) const { return parts_.at(id); }
    bool has_kernel(uint64_t id) const { return parts_.count(id) != 0; }
    // The previous task on its core; itself if there is none.
    size_t previous(size_t index) const;

 private:
    const Program& program_;
    const Run& run_;
    std::vector<size_t> order_;
    std::map<uint64_t, std::vector<size_t>> parts_;
    std::map<size_t, size_t> previous_;
    std::map<uint64_t, std::vector<uint64_t>> before_;
    std::map<uint64_t, Cycle> submitted_;
};

// A step of the critical path, from the last one backwards: a task, and the reason of its wait.
struct Step {
    enum class Cause { kDependency, kCore, kSubmit };
    size_t task = 0;  // index in the program
    Cause cause = Cause::kSubmit;
    Cycle waited = 0;  // from the end of the cause to the task's begin
};

// The reason that held a task back longest, and its end.
struct Hold {
    Step::Cause cause = Step::Cause::kSubmit;
    Cycle until = 0;
    size_t task = 0;  // the task that had to end first
};

// Ends of tasks, recorded or hypothetical.
using Ends = std::function<Cycle(size_t)>;

Hold hold_of(const TaskGraph& graph, size_t index, Cycle submitted, const Ends& end);
// Only tasks that ended before it began can have held a task back (early hand-over).
Hold observed_hold(const TaskGraph& graph, size_t index);

}  // namespace ptosim::mpmd
