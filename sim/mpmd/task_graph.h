// The tasks of a run as its analyses ask for them: in the order of their begins, by their ids, by core, with
// what held each of them back.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "sim/mpmd/program.h"

namespace ptosim::mpmd {

class TaskGraph {
 public:
    TaskGraph(const Program& program, const Run& run);

    const Task& task(size_t index) const { return program_.tasks[index]; }
    // Of the program's tasks: those of the run.
    const std::vector<size_t>& by_begin() const { return order_; }
    // When its submit had ended; without a record of it: the begin of the run.
    Cycle submitted(uint64_t id) const;
    // Tasks that a task depends on; one without a kernel (an allocation) gives those that it depends on.
    std::set<uint64_t> before(uint64_t id) const;
    const std::vector<size_t>& parts(uint64_t id) const { return parts_.at(id); }
    bool has_kernel(uint64_t id) const { return parts_.count(id) != 0; }
    // The task before it on its core; none: itself.
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

// A step of the critical path, the last first: a task, and what it waited for before.
struct Step {
    enum class Cause { kDependency, kCore, kSubmit };
    size_t task = 0;  // of the program
    Cause cause = Cause::kSubmit;
    Cycle waited = 0;  // from the cause's time to the task's begin
};

// What held a task back longest, and until when.
struct Hold {
    Step::Cause cause = Step::Cause::kSubmit;
    Cycle until = 0;
    size_t task = 0;  // that had to end
};

// Ends of tasks: as they were, or as they would be.
using Ends = std::function<Cycle(size_t)>;

Hold hold_of(const TaskGraph& graph, size_t index, Cycle submitted, const Ends& end);
// A task cannot have been held back by what ended after it had begun (early hand-over).
Hold observed_hold(const TaskGraph& graph, size_t index);

}  // namespace ptosim::mpmd
