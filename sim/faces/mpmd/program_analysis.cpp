#include "sim/faces/mpmd/program_analysis.h"

#include <algorithm>
#include <functional>

#include "sim/faces/mpmd/proposals.h"

namespace ptosim::mpmd {
namespace {

CriticalPath path_of(const TaskGraph& graph, const Run& run) {
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

// ---- savings of changes -------------------------------------------------------------------

Cycle same(Cycle cycles) { return cycles; }
Cycle half(Cycle cycles) { return cycles / 2; }

struct Change {
    std::string name;
    Saving::Kind kind = Saving::Kind::kKernel;
    std::function<Cycle(Cycle)> hand_over = same;  // time of a task's hand-over, from the recorded one
    std::function<Cycle(Cycle)> submit = same;     // time of a submit, from the recorded one
    std::string half_kernel{};                     // kernel whose tasks take half the time; empty: none
    bool no_dependencies = false;
};

// End of the last task with a change: each task begins when its dependencies are complete, on its recorded core, after
// the earlier tasks of this core.
Cycle end_with(const TaskGraph& graph, const Run& run, const Change& change) {
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

// The kernels of the critical path, the largest share first.
std::vector<std::string> kernels_of(const TaskGraph& graph, const CriticalPath& path) {
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

std::vector<Saving> savings_of(const TaskGraph& graph, const Run& run, const CriticalPath& path) {
    using Kind = Saving::Kind;
    if (graph.by_begin().empty()) return {};
    std::vector<Change> changes;
    if (!run.submits.empty()) {
        std::vector<Cycle> waits;
        for (const size_t i : graph.by_begin())
            waits.push_back(graph.task(i).begin - observed_hold(graph, i).until);
        const Cycle least = *std::min_element(waits.begin(), waits.end());
        const uint64_t schedulers = std::max<uint64_t>(1, run.schedulers.size());
        changes = {
            {"hand-over of tasks twice as fast", Kind::kScheduling, half},
            // The time of a hand-over beyond the shortest one is the queue before the schedulers.
            {"one additional scheduler", Kind::kScheduling,
             [=](Cycle cycles) {
                 return least + (cycles - least) * schedulers / (schedulers + 1);
             }},
            {"submits twice as fast", Kind::kOrchestration, same, half},
        };
    }
    Change& alone = changes.emplace_back();
    alone.name = "no task waits for another's result";
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
        savings.push_back({change.name, now > then ? now - then : 0, change.kind, change.half_kernel,
                           change.half_kernel.empty() ? Saving::Who::kRuntime : Saving::Who::kKernel});
    }
    return savings;
}

void add_proposals(const Program& program, const Run& run, const TaskGraph& graph, KernelSites& sites,
                   uint64_t clock_hz, std::vector<Saving>& savings) {
    constexpr size_t kMostTasks = 20'000;  // each proposal replays all of them
    const Replay replay = replay_of(graph, run);
    if (replay.tasks.empty() || replay.tasks.size() > kMostTasks) return;
    const Recorded recorded{program, run, graph, replay, end_of(replay), sites, clock_hz};
    propose_dependencies(recorded, savings);
    propose_submits(recorded, savings);
    propose_tasks(recorded, savings);  // last: a single finding about tasks that are submitted late
}

// ---- use of the cores' time ---------------------------------------------------------------

// For cores of one type: the numbers of cores with a task and of tasks without a core, over time.
void add_idle(const TaskGraph& graph, const Run& run, CoreType type, unsigned cores, Shares& shares) {
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

Saving Saving::of_program(Kind kind, Cycle cycles, const std::string& kernel, KernelSites& sites) {
    Saving made;
    made.kind = kind;
    made.cycles = cycles;
    made.kernel = kernel;
    made.who = Who::kProgram;
    const KernelSite& site = sites.of(kernel);
    made.file = site.file;
    made.line = site.line;
    return made;
}

Cycle Saving::rank() const {
    switch (who) {
        case Who::kProgram:
            return cycles;
        case Who::kKernel:
            return cycles / 2;
        case Who::kRuntime:
            break;
    }
    return cycles / 10;
}

RunAnalysis analyse(const Program& program, const Run& run, KernelSites& sites, uint64_t clock_hz) {
    RunAnalysis result;
    const TaskGraph graph(program, run);
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
    add_proposals(program, run, graph, sites, clock_hz, result.savings);
    std::stable_sort(result.savings.begin(), result.savings.end(),
                     [](const Saving& a, const Saving& b) { return a.rank() > b.rank(); });
    return result;
}

}  // namespace ptosim::mpmd
