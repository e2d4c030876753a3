#include "sim/faces/mpmd/task_replay.h"

#include <algorithm>
#include <queue>

namespace ptosim::mpmd {
namespace {

Cycle median(std::vector<Cycle> values, Cycle without) {
    if (values.empty()) return without;
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void measure_hand_over(const TaskGraph& graph, Replay& replay) {
    std::vector<Cycle> after_submit, after_task;
    for (const size_t i : graph.by_begin()) {
        const Hold hold = observed_hold(graph, i);
        const Cycle waited = graph.task(i).begin - hold.until;
        if (hold.cause == Step::Cause::kSubmit) after_submit.push_back(waited);
        if (hold.cause == Step::Cause::kDependency) after_task.push_back(waited);
    }
    replay.after_task = median(after_task, median(after_submit, 0));
    replay.after_submit = median(after_submit, replay.after_task);
}

// Times at which the cores of one type become free, the first on top.
using Free = std::priority_queue<Cycle, std::vector<Cycle>, std::greater<>>;

struct Ready {
    Cycle time = 0;
    uint32_t task = 0;
    bool by_submit = false;
    bool operator>(const Ready& other) const {
        return std::pair(time, task) > std::pair(other.time, other.task);
    }
};

class Machine {
 public:
    explicit Machine(const Replay& replay) : replay_{replay} {
        for (unsigned i = 0; i < replay.aics; ++i) aics_.push(replay.begin);
        for (unsigned i = 0; i < replay.aivs; ++i) aivs_.push(replay.begin);
    }

    Cycle run() {
        const auto& tasks = replay_.tasks;
        std::vector<std::vector<uint32_t>> users(tasks.size());
        std::vector<size_t> missing(tasks.size());
        std::vector<Cycle> submitted(tasks.size()), needed(tasks.size());
        Cycle time = replay_.begin;
        for (uint32_t i = 0; i < tasks.size(); ++i) {
            submitted[i] = time += tasks[i].gap + tasks[i].submit;
            missing[i] = tasks[i].after.size();
            for (const uint32_t before : tasks[i].after) users[before].push_back(i);
            if (missing[i] == 0) ready_.push({submitted[i], i, true});
        }
        Cycle last = time;
        while (!ready_.empty()) {
            const Ready next = ready_.top();
            ready_.pop();
            const Cycle end = start(tasks[next.task], next);
            last = std::max(last, end);
            for (const uint32_t user : users[next.task]) {
                needed[user] = std::max(needed[user], end);
                if (--missing[user] != 0) continue;
                ready_.push({std::max(submitted[user], needed[user]), user, submitted[user] > needed[user]});
            }
        }
        return last;
    }

 private:
    // Returns the end of the last of its parts.
    Cycle start(const ReplayedTask& task, const Ready& ready) {
        Cycle end = ready.time;
        const Cycle hand_over = ready.by_submit ? replay_.after_submit : replay_.after_task;
        for (const ReplayedPart& part : task.parts) {
            Free& cores = part.core == CoreType::kAIC ? aics_ : aivs_;
            const Cycle free = cores.empty() ? replay_.begin : cores.top();
            if (!cores.empty()) cores.pop();
            const Cycle ended = std::max(ready.time + hand_over, free) + part.takes;
            cores.push(ended);
            end = std::max(end, ended);
        }
        return end;
    }

    const Replay& replay_;
    Free aics_, aivs_;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
};

}  // namespace

Cycle ReplayedTask::longest() const {
    Cycle most = 0;
    for (const ReplayedPart& part : parts) most = std::max(most, part.takes);
    return most;
}

Replay replay_of(const TaskGraph& graph, const Run& run) {
    Replay replay;
    replay.aics = run.aics;
    replay.aivs = run.aivs;
    replay.begin = run.begin;
    measure_hand_over(graph, replay);
    std::map<uint64_t, uint32_t> numbers;
    Cycle last = run.begin;
    for (const Submit& submit : run.submits) {
        ReplayedTask& task = replay.tasks.emplace_back();
        task.id = submit.task;
        task.gap = submit.begin - std::min(submit.begin, last);
        task.submit = submit.end - submit.begin;
        last = submit.end;
        numbers.try_emplace(submit.task, static_cast<uint32_t>(replay.tasks.size() - 1));
        if (!graph.has_kernel(submit.task)) continue;
        for (const size_t part : graph.parts(submit.task)) {
            const Task& of = graph.task(part);
            if (task.kernel.empty()) task.kernel = of.kernel;
            task.parts.push_back({of.core.type, of.end - of.begin});
        }
    }
    for (const Dependency& d : run.dependencies) {
        const auto before = numbers.find(d.before), after = numbers.find(d.after);
        if (before != numbers.end() && after != numbers.end() && before->second < after->second)
            replay.tasks[after->second].after.push_back(before->second);
    }
    return replay;
}

Cycle end_of(const Replay& replay) { return Machine(replay).run(); }

Replay reordered(const Replay& replay, const std::vector<uint32_t>& order) {
    Replay result = replay;
    std::vector<uint32_t> now(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) now[order[i]] = i;
    for (uint32_t i = 0; i < order.size(); ++i) {
        result.tasks[i] = replay.tasks[order[i]];
        for (uint32_t& before : result.tasks[i].after) before = now[before];
    }
    return result;
}

}  // namespace ptosim::mpmd
