#include "sim/mpmd/analysis.h"

#include <algorithm>
#include <functional>
#include <set>

namespace ptosim::mpmd {
namespace {

// The parts of a run that the analyses ask for again and again.
class Graph {
 public:
    Graph(const Program& program, const Run& run) : program_{program}, run_{run} {
        for (size_t i = run.first_task; i < run.tasks_end; ++i) order_.push_back(i);
        std::stable_sort(order_.begin(), order_.end(),
                         [this](size_t a, size_t b) { return task(a).begin < task(b).begin; });
        std::map<std::pair<CoreType, unsigned>, size_t> last;
        for (const size_t i : order_) {
            parts_[task(i).id].push_back(i);
            const auto core = std::pair(task(i).core.type, task(i).core.index);
            if (const auto found = last.find(core); found != last.end())
                previous_[i] = found->second;
            last[core] = i;
        }
        for (const Dependency& d : run.dependencies) before_[d.after].push_back(d.before);
        for (const Submit& s : run.submits) submitted_[s.task] = s.end;
    }

    const Task& task(size_t index) const { return program_.tasks[index]; }
    const std::vector<size_t>& by_begin() const { return order_; }
    Cycle submitted(uint64_t id) const {
        const auto found = submitted_.find(id);
        return found == submitted_.end() ? run_.begin : found->second;
    }
    // Tasks that a task depends on; those without a kernel (allocations) stand for what they need.
    std::set<uint64_t> before(uint64_t id) const {
        std::set<uint64_t> found, seen;
        const std::function<void(uint64_t)> collect = [&](uint64_t of) {
            const auto list = before_.find(of);
            if (list == before_.end()) return;
            for (const uint64_t other : list->second) {
                if (!seen.insert(other).second) continue;
                if (parts_.count(other) != 0)
                    found.insert(other);
                else
                    collect(other);
            }
        };
        if (id != kNoTask) collect(id);
        return found;
    }
    const std::vector<size_t>& parts(uint64_t id) const { return parts_.at(id); }
    // The task before it on its core; none: itself.
    size_t previous(size_t index) const {
        const auto found = previous_.find(index);
        return found == previous_.end() ? index : found->second;
    }

 private:
    const Program& program_;
    const Run& run_;
    std::vector<size_t> order_;
    std::map<uint64_t, std::vector<size_t>> parts_;
    std::map<size_t, size_t> previous_;
    std::map<uint64_t, std::vector<uint64_t>> before_;
    std::map<uint64_t, Cycle> submitted_;
};

// What held a task back longest, and until when.
struct Hold {
    Step::Cause cause = Step::Cause::kSubmit;
    Cycle until = 0;
    size_t task = 0;  // that had to end
};

// Times of tasks as a function says them: as they were, or as they would be.
using Ends = std::function<Cycle(size_t)>;

Hold hold_of(const Graph& graph, size_t index, Cycle submitted, const Ends& end) {
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

// A task cannot have been held back by what ended after it had begun (early hand-over).
Hold observed_hold(const Graph& graph, size_t index) {
    const Task& task = graph.task(index);
    return hold_of(graph, index, std::min(graph.submitted(task.id), task.begin), [&](size_t other) {
        const Cycle end = graph.task(other).end;
        return end <= task.begin ? end : 0;
    });
}

CriticalPath path_of(const Graph& graph, const Run& run) {
    CriticalPath path;
    if (graph.by_begin().empty()) return path;
    size_t at = *std::max_element(
        graph.by_begin().begin(), graph.by_begin().end(),
        [&](size_t a, size_t b) { return graph.task(a).end < graph.task(b).end; });
    path.end = run.end - graph.task(at).end;
    for (;;) {
        const Task& task = graph.task(at);
        const Hold hold = observed_hold(graph, at);
        path.steps.push_back({at, hold.cause, task.begin - hold.until});
        path.tasks += task.end - task.begin;
        path.hand_over += task.begin - hold.until;
        if (hold.cause == Step::Cause::kSubmit) {
            path.orchestration = hold.until - run.begin;
            return path;
        }
        at = hold.task;
    }
}

// ---- what a change would save -------------------------------------------------------------

Cycle same(Cycle cycles) { return cycles; }
Cycle half(Cycle cycles) { return cycles / 2; }

struct Change {
    std::string name;
    Saving::Kind kind = Saving::Kind::kKernel;
    std::function<Cycle(Cycle)> hand_over = same;  // a task's, instead of the one that it had
    std::function<Cycle(Cycle)> submit = same;     // what one takes, of the cycles it took
    std::string half_kernel{};                     // whose tasks take half the time; empty: none
    bool no_dependencies = false;
};

// When the last task would end: each begins when what it waits for is there, on the core that it
// had, after the tasks that this core had before.
Cycle end_with(const Graph& graph, const Run& run, const Change& change) {
    std::map<uint64_t, Cycle> submitted;
    Cycle last_submit = run.begin, time = run.begin;
    for (const Submit& submit : run.submits) {
        time += (submit.begin - last_submit) + change.submit(submit.end - submit.begin);
        last_submit = submit.end;
        submitted[submit.task] = time;
    }
    std::map<size_t, Cycle> ends;
    Cycle last = run.begin;
    for (const size_t i : graph.by_begin()) {
        const Task& task = graph.task(i);
        const auto found = submitted.find(task.id);
        const Cycle from = found == submitted.end() ? graph.submitted(task.id) : found->second;
        const auto end_of = [&](size_t other) {
            const auto end = ends.find(other);
            return end == ends.end() ? 0 : end->second;
        };
        const Cycle until = change.no_dependencies ? std::max(from, end_of(graph.previous(i)))
                                                   : hold_of(graph, i, from, end_of).until;
        const Cycle waited = task.begin - observed_hold(graph, i).until;
        const Cycle takes = task.end - task.begin;
        ends[i] = until + change.hand_over(waited) +
                  (task.kernel == change.half_kernel ? half(takes) : takes);
        last = std::max(last, ends[i]);
    }
    return last;
}

// The kernels of the critical path, the one that takes most of it first.
std::vector<std::string> kernels_of(const Graph& graph, const CriticalPath& path) {
    std::map<std::string, Cycle> cycles;
    for (const Step& step : path.steps) {
        const Task& task = graph.task(step.task);
        cycles[task.kernel] += task.end - task.begin;
    }
    std::vector<std::string> kernels;
    for (const auto& [kernel, of_it] : cycles) kernels.push_back(kernel);
    std::stable_sort(
        kernels.begin(), kernels.end(),
        [&](const std::string& a, const std::string& b) { return cycles[a] > cycles[b]; });
    return kernels;
}

std::vector<Saving> savings_of(const Graph& graph, const Run& run, const CriticalPath& path) {
    using Kind = Saving::Kind;
    if (graph.by_begin().empty()) return {};
    std::vector<Change> changes;
    if (!run.submits.empty()) {
        std::vector<Cycle> waits, submits;
        for (const size_t i : graph.by_begin())
            waits.push_back(graph.task(i).begin - observed_hold(graph, i).until);
        for (const Submit& submit : run.submits) submits.push_back(submit.end - submit.begin);
        const Cycle least = *std::min_element(waits.begin(), waits.end());
        std::nth_element(submits.begin(),
                         submits.begin() + static_cast<ptrdiff_t>(submits.size() / 2),
                         submits.end());
        const Cycle median = submits[submits.size() / 2];
        const uint64_t schedulers = std::max<uint64_t>(1, run.schedulers.size());
        changes = {
            {"hand-over of tasks twice as fast", Kind::kScheduling, half},
            // What a hand-over takes beyond the shortest is the queue before the schedulers.
            {"one more scheduler", Kind::kScheduling,
             [=](Cycle cycles) {
                 return least + (cycles - least) * schedulers / (schedulers + 1);
             }},
            {"submits twice as fast", Kind::kOrchestration, same, half},
            // A submit that takes far longer than others waits for a slot of the window, or for
            // heap.
            {"a window and a heap that are never full", Kind::kOrchestration, same,
             [=](Cycle cycles) { return cycles > 4 * median ? median : cycles; }},
        };
    }
    Change& alone = changes.emplace_back();
    alone.name = "no task that waits for another one's result";
    alone.kind = Kind::kStarvation;
    alone.no_dependencies = true;
    constexpr size_t kKernels = 3;
    std::vector<std::string> kernels = kernels_of(graph, path);
    kernels.resize(std::min(kKernels, kernels.size()));
    for (const std::string& kernel : kernels) {
        Change& change = changes.emplace_back();
        change.name = kernel + " in half the time";
        change.half_kernel = kernel;
    }
    const Cycle now = end_with(graph, run, {});
    std::vector<Saving> savings;
    for (const Change& change : changes) {
        const Cycle then = end_with(graph, run, change);
        savings.push_back(
            {change.name, now > then ? now - then : 0, change.kind, change.half_kernel});
    }
    std::stable_sort(savings.begin(), savings.end(),
                     [](const Saving& a, const Saving& b) { return a.rank() > b.rank(); });
    return savings;
}

// ---- where the cores' time went -----------------------------------------------------------

// Of cores of one type: how many have a task, and how many tasks wait for one, over time.
void add_idle(const Graph& graph, const Run& run, CoreType type, unsigned cores, Shares& shares) {
    struct Change {
        int ready = 0, running = 0;
    };
    std::map<Cycle, Change> changes;
    bool any = false;
    for (const size_t i : graph.by_begin()) {
        const Task& task = graph.task(i);
        if (task.core.type != type) continue;
        any = true;
        Cycle ready = std::min(graph.submitted(task.id), task.begin);
        for (const uint64_t id : graph.before(task.id))
            for (const size_t part : graph.parts(id))
                ready = std::max(ready, std::min(graph.task(part).end, task.begin));
        ++changes[ready].ready;
        --changes[task.begin].ready;
        ++changes[task.begin].running;
        --changes[task.end].running;
    }
    if (!any) return;
    const Cycle last_submit = run.submits.empty() ? run.begin : run.submits.back().end;
    changes[run.begin];
    changes[run.end];
    changes[last_submit];
    int ready = 0, running = 0;
    for (auto at = changes.begin(); std::next(at) != changes.end(); ++at) {
        ready += at->second.ready;
        running += at->second.running;
        const Cycle length = std::next(at)->first - at->first;
        const auto idle = static_cast<uint64_t>(std::max(0, static_cast<int>(cores) - running));
        const uint64_t held = std::min<uint64_t>(idle, static_cast<uint64_t>(std::max(0, ready)));
        shares.scheduling += held * length;
        (at->first < last_submit ? shares.orchestration : shares.starvation) +=
            (idle - held) * length;
    }
}

}  // namespace

RunAnalysis analyse(const Program& program, const Run& run) {
    RunAnalysis result;
    const Graph graph(program, run);
    for (const size_t i : graph.by_begin()) {
        const Task& task = graph.task(i);
        const Cycle cycles = task.end - task.begin;
        KernelTimes& times = result.kernels[task.kernel];
        times.least = times.count == 0 ? cycles : std::min(times.least, cycles);
        times.most = std::max(times.most, cycles);
        times.total += cycles;
        ++times.count;
        if (task.dispatched != 0 && task.seen >= task.end && task.dispatched <= task.begin) {
            times.head += task.begin - task.dispatched;
            times.tail += task.seen - task.end;
            ++times.recorded;
        }
        result.shares.compute += task.compute;
        result.shares.memory += task.memory;
        result.shares.waiting += cycles - task.compute - task.memory;
    }
    add_idle(graph, run, CoreType::kAIC, run.aics, result.shares);
    add_idle(graph, run, CoreType::kAIV, run.aivs, result.shares);
    result.path = path_of(graph, run);
    result.savings = savings_of(graph, run, result.path);
    return result;
}

}  // namespace ptosim::mpmd
