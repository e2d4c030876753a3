#include "sim/faces/mpmd/task_graph.h"

#include <algorithm>

namespace ptosim::mpmd {

TaskGraph::TaskGraph(const Program& program, const Run& run) : program_{program}, run_{run} {
    for (size_t i = run.first_task; i < run.tasks_end; ++i) order_.push_back(i);
    std::stable_sort(order_.begin(), order_.end(),
                     [this](size_t a, size_t b) { return task(a).begin < task(b).begin; });
    std::map<std::pair<CoreType, unsigned>, size_t> last;
    for (const size_t i : order_) {
        parts_[task(i).id].push_back(i);
        const auto core = std::pair(task(i).core.type, task(i).core.index);
        if (const auto found = last.find(core); found != last.end()) previous_[i] = found->second;
        last[core] = i;
    }
    for (const Dependency& d : run.dependencies) before_[d.after].push_back(d.before);
    for (const Submit& s : run.submits) submitted_[s.task] = s.end;
}

Cycle TaskGraph::submitted(uint64_t id) const {
    const auto found = submitted_.find(id);
    return found == submitted_.end() ? run_.begin : found->second;
}

std::set<uint64_t> TaskGraph::before(uint64_t id) const {
    std::set<uint64_t> found, seen;
    const std::function<void(uint64_t)> collect = [&](uint64_t of) {
        const auto list = before_.find(of);
        if (list == before_.end()) return;
        for (const uint64_t other : list->second) {
            if (!seen.insert(other).second) continue;
            if (has_kernel(other))
                found.insert(other);
            else
                collect(other);
        }
    };
    if (id != kNoTask) collect(id);
    return found;
}

size_t TaskGraph::previous(size_t index) const {
    const auto found = previous_.find(index);
    return found == previous_.end() ? index : found->second;
}

Hold hold_of(const TaskGraph& graph, size_t index, Cycle submitted, const Ends& end) {
    Hold hold{Step::Cause::kSubmit, submitted, index};
    const auto consider = [&](Step::Cause cause, size_t other) {
        if (end(other) > hold.until) hold = {cause, end(other), other};
    };
    for (const uint64_t id : graph.before(graph.task(index).id))
        for (const size_t part : graph.parts(id)) consider(Step::Cause::kDependency, part);
    if (const size_t previous = graph.previous(index); previous != index)
        consider(Step::Cause::kCore, previous);
    return hold;
}

Hold observed_hold(const TaskGraph& graph, size_t index) {
    const Task& task = graph.task(index);
    return hold_of(graph, index, std::min(graph.submitted(task.id), task.begin), [&](size_t other) {
        const Cycle end = graph.task(other).end;
        return end <= task.begin ? end : 0;
    });
}

}  // namespace ptosim::mpmd
