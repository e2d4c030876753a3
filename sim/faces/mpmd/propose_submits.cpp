#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "sim/faces/mpmd/proposals.h"

namespace ptosim::mpmd {
namespace {

uint64_t ring_of(uint64_t task) { return task >> 32; }

// ---- a full window or heap --------------------------------------------------------------------

struct Blocked {
    size_t submits = 0;
    uint64_t ring = 0;
    bool by_window = false;  // else by the heap
};

// Number of unfinished tasks of its ring at a submit, counted from the oldest one, because slots become free in the
// order in which they were taken.
std::map<uint64_t, uint64_t> taken_slots(const Recorded& recorded) {
    std::map<uint64_t, Cycle> ends;
    for (const size_t i : recorded.graph.by_begin()) {
        const Task& task = recorded.graph.task(i);
        ends[task.id] = std::max({ends[task.id], task.end, task.seen});
    }
    std::map<uint64_t, std::vector<uint64_t>> earlier;  // by ring, in the order of submits
    std::map<uint64_t, size_t> oldest;
    std::map<uint64_t, uint64_t> taken;
    for (const Submit& submit : recorded.run.submits) {
        std::vector<uint64_t>& of_ring = earlier[ring_of(submit.task)];
        size_t& first = oldest[ring_of(submit.task)];
        while (first < of_ring.size() && ends[of_ring[first]] <= submit.begin) ++first;
        taken[submit.task] = of_ring.size() - first;
        of_ring.push_back(submit.task);
    }
    return taken;
}

void propose_ring(const Recorded& recorded, std::vector<Saving>& savings) {
    constexpr Cycle kTimes = 4;  // multiple of the kernel's shortest submit
    std::map<std::string, Cycle> least;
    for (const ReplayedTask& task : recorded.replay.tasks) {
        const auto [at, first] = least.try_emplace(task.kernel, task.submit);
        at->second = std::min(at->second, task.submit);
    }
    Replay changed = recorded.replay;
    Blocked blocked;
    std::string kernel;
    for (ReplayedTask& task : changed.tasks) {
        if (task.submit <= kTimes * least[task.kernel]) continue;
        task.submit = least[task.kernel];
        ++blocked.submits;
        blocked.ring = ring_of(task.id);
        if (kernel.empty()) kernel = task.kernel;
    }
    const Cycle saved = blocked.submits == 0 ? 0 : recorded.saves(changed);
    if (saved == 0) return;
    const auto taken = taken_slots(recorded);
    const uint64_t window =
        blocked.ring < recorded.run.windows.size() ? recorded.run.windows[blocked.ring] : 0;
    uint64_t most = 0;
    for (const auto& [task, slots] : taken)
        if (ring_of(task) == blocked.ring) most = std::max(most, slots);
    blocked.by_window = window != 0 && most + 1 >= window;
    // A scope that holds half of the heap at its end has met its limit before, or will.
    const bool by_heap = std::any_of(recorded.run.scopes.begin(), recorded.run.scopes.end(),
                                     [](const Scope& scope) { return 2 * scope.heap >= scope.most_heap; });
    if (!blocked.by_window && !by_heap) return;  // another reason has delayed it
    Saving made = Saving::of_program(Saving::Kind::kRing, saved, kernel, recorded.sites);
    size_t submits = 0;
    for (const auto& [task, slots] : taken) submits += ring_of(task) == blocked.ring ? 1 : 0;
    made.change = blocked.by_window
                      ? "Set PTO2_RING_TASK_WINDOW (ring_task_window) to " +
                            std::to_string(std::bit_ceil(submits + 1)) + ": it is " + std::to_string(window)
                      : "Set PTO2_RING_HEAP (ring_heap) to more bytes, or end scopes earlier";
    made.why = std::to_string(blocked.submits) + " submits wait until an earlier task has ended and its " +
               (blocked.by_window ? "slot of the window" : "memory") + " is free.";
    savings.push_back(std::move(made));
}

// ---- an orchestration that waits --------------------------------------------------------------

// Order in which tasks after `late` that do not need it come first, then it and the others.
std::vector<uint32_t> with_last(const Replay& replay, uint32_t late) {
    std::vector<bool> needs(replay.tasks.size());
    needs[late] = true;
    for (uint32_t i = late + 1; i < replay.tasks.size(); ++i)
        for (const uint32_t before : replay.tasks[i].after)
            if (needs[before]) needs[i] = true;
    std::vector<uint32_t> order;
    for (const bool wanted : {false, true})
        for (uint32_t i = 0; i < needs.size(); ++i)
            if (needs[i] == wanted) order.push_back(i);
    return order;
}

void propose_earlier(const Recorded& recorded, std::vector<Saving>& savings) {
    const auto& tasks = recorded.replay.tasks;
    if (tasks.size() < 3) return;
    uint32_t late = 1;
    std::vector<Cycle> gaps;
    for (uint32_t i = 1; i < tasks.size(); ++i) {
        gaps.push_back(tasks[i].gap);
        if (tasks[i].gap > tasks[late].gap) late = i;
    }
    const auto median = gaps.begin() + static_cast<ptrdiff_t>((gaps.size() - 1) / 2);
    std::nth_element(gaps.begin(), median, gaps.end());
    constexpr Cycle kTimes = 10;
    if (late + 1 == tasks.size() || tasks[late].gap < kTimes * *median) return;
    const std::vector<uint32_t> order = with_last(recorded.replay, late);
    const Cycle saved = recorded.saves(reordered(recorded.replay, order));
    if (saved == 0) return;
    std::set<std::string> kernels;
    for (uint32_t i = late; order[i] != late; ++i)
        if (!tasks[order[i]].kernel.empty()) kernels.insert(tasks[order[i]].kernel);
    if (kernels.empty()) return;
    const std::string& first = *kernels.begin();
    Saving made = Saving::of_program(Saving::Kind::kOrchestration, saved, first, recorded.sites);
    made.change = "Submit " + first + " (" + recorded.sites.text(first) + ")" +
                  (kernels.size() > 1 ? " and " + std::to_string(kernels.size() - 1) + " other kernels" : "") +
                  " before " + tasks[late].kernel + " (" + recorded.sites.text(tasks[late].kernel) + ")";
    made.why = "The orchestration waits for a value or computes for " + recorded.us(tasks[late].gap) +
               " before it submits " + tasks[late].kernel + ", and " + first + " does not need that task.";
    savings.push_back(std::move(made));
}

}  // namespace

void propose_submits(const Recorded& recorded, std::vector<Saving>& savings) {
    propose_ring(recorded, savings);
    propose_earlier(recorded, savings);
}

}  // namespace ptosim::mpmd
