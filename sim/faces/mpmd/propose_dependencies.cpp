#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "sim/faces/mpmd/proposals.h"

namespace ptosim::mpmd {
namespace {

// Dependencies between tasks of two kernels: all that follow from tensors, or all that the program names.
struct Group {
    std::string before, after;  // kernels
    bool named = false;
    auto operator<=>(const Group&) const = default;
};
struct Members {
    std::set<std::pair<uint32_t, uint32_t>> pairs;  // numbers of tasks
    std::set<unsigned> arguments;
};

class Dependencies {
 public:
    explicit Dependencies(const Recorded& recorded) : recorded_{recorded} {
        const auto& tasks = recorded.replay.tasks;
        for (uint32_t i = 0; i < tasks.size(); ++i) {
            numbers_.try_emplace(tasks[i].id, i);
            if (!tasks[i].kernel.empty()) of_kernel_[tasks[i].kernel].push_back(i);
        }
        for (const Reason& reason : recorded.run.reasons) {
            const auto before = numbers_.find(reason.before), after = numbers_.find(reason.after);
            if (before == numbers_.end() || after == numbers_.end()) continue;
            const ReplayedTask &from = tasks[before->second], &to = tasks[after->second];
            const bool named = reason.kind == Reason::Kind::kNamed;
            if (reason.kind == Reason::Kind::kMaker || from.kernel.empty() || to.kernel.empty()) {
                needed_.insert({before->second, after->second});
                continue;
            }
            Members& members = groups_[{from.kernel, to.kernel, named}];
            members.pairs.insert({before->second, after->second});
            if (!named) members.arguments.insert(reason.argument);
        }
    }

    void propose(std::vector<Saving>& savings) {
        for (const auto& [group, members] : groups_) {
            if (!apart(group.before, group.after)) continue;
            const Cycle saved = recorded_.saves(without(group, members));
            if (saved != 0) savings.push_back(saving(group, members, saved));
        }
    }

 private:
    // True if no task of one kernel touches bytes that a task of the other touches, one of them writing.
    bool apart(const std::string& a, const std::string& b) const {
        struct Range {
            uint64_t begin = 0, end = 0;
            bool writes = false;
            uint32_t task = 0;
        };
        std::vector<Range> ranges;
        for (const std::string& kernel : std::set<std::string>{a, b})
            for (const uint32_t number : of_kernel_.at(kernel)) {
                bool touches = false;
                for (const size_t part : recorded_.graph.parts(recorded_.replay.tasks[number].id))
                    for (const TouchedBytes& bytes : recorded_.graph.task(part).touched) {
                        ranges.push_back({bytes.begin, bytes.end, bytes.writes, number});
                        touches = true;
                    }
                if (!touches) return false;  // its accesses are not recorded
            }
        std::sort(ranges.begin(), ranges.end(),
                  [](const Range& x, const Range& y) { return x.begin < y.begin; });
        // The earlier range that ends last, among all ranges and among writes, for two different tasks each.
        Range read[2], written[2];
        const auto meets = [](const Range* of, const Range& range) {
            return std::any_of(of, of + 2, [&](const Range& one) {
                return one.task != range.task && one.end > range.begin;
            });
        };
        const auto keep = [](Range* of, const Range& range) {
            if (of[0].task == range.task) {
                of[0].end = std::max(of[0].end, range.end);
            } else if (range.end > of[0].end) {
                of[1] = of[0];
                of[0] = range;
            } else if (of[1].task == range.task || range.end > of[1].end) {
                of[1].end = of[1].task == range.task ? std::max(of[1].end, range.end) : range.end;
                of[1].task = range.task;
            }
        };
        for (const Range& range : ranges) {
            if (meets(written, range) || (range.writes && meets(read, range))) return false;
            keep(read, range);
            if (range.writes) keep(written, range);
        }
        return true;
    }

    // Users of the last task's output wait for all of the tasks instead.
    Replay without(const Group& group, const Members& members) const {
        Replay changed = recorded_.replay;
        std::map<uint32_t, std::vector<uint32_t>> before;  // dependencies that a task no longer has
        for (const auto& [from, to] : members.pairs) before[to].push_back(from);
        const std::vector<uint32_t>& same = of_kernel_.at(group.before);
        for (uint32_t i = 0; i < changed.tasks.size(); ++i) {
            ReplayedTask& task = changed.tasks[i];
            if (task.kernel == group.after) {
                std::erase_if(task.after, [&](uint32_t other) {
                    return members.pairs.count({other, i}) != 0 && !stays(group, other, i);
                });
                if (before.count(i) != 0 && task.after.empty())
                    task.submit = std::min(task.submit, shortest_submit(group.after));
                continue;
            }
            const std::vector<uint32_t> after = task.after;
            for (const uint32_t other : after) {
                if (changed.tasks[other].kernel != group.after || before.count(other) == 0) continue;
                for (const uint32_t one : same)
                    if (one < other) task.after.push_back(one);
            }
            std::sort(task.after.begin(), task.after.end());
            task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
        }
        return changed;
    }

    // True if another reason requires the dependency.
    bool stays(const Group& group, uint32_t from, uint32_t to) const {
        if (needed_.count({from, to}) != 0) return true;
        const auto other = groups_.find({group.before, group.after, !group.named});
        return other != groups_.end() && other->second.pairs.count({from, to}) != 0;
    }

    Cycle shortest_submit(const std::string& kernel) const {
        Cycle least = kNoTask;
        for (const uint32_t number : of_kernel_.at(kernel))
            least = std::min(least, recorded_.replay.tasks[number].submit);
        return least;
    }

    std::string names(const std::string& kernel, const std::set<unsigned>& arguments) const {
        std::string text;
        for (const unsigned argument : arguments)
            text += (text.empty() ? "" : " and ") + recorded_.sites.argument(kernel, argument);
        return text;
    }

    Saving saving(const Group& group, const Members& members, Cycle saved) const {
        Saving made = Saving::of_program(Saving::Kind::kDependency, saved, group.after, recorded_.sites);
        const std::string at = recorded_.sites.text(group.after);
        const std::string tensors = names(group.after, members.arguments);
        const KernelSite& site = recorded_.sites.of(group.after);
        if (group.named) {
            made.change = "Drop the dependency of " + group.after + " (" + at + ") on " + group.before +
                          ", which the program names";
            made.why = "No task of " + group.after + " touches bytes that " + group.before + " touches.";
        } else if (group.before == group.after) {
            const bool range = site.loop_text.find("pl.range") != std::string::npos;
            made.change = "Tasks of " + at + " form a chain through " + tensors + ": " +
                          (range ? "make pl.range in line " + std::to_string(site.loop) + " pl.parallel"
                                 : "declare them independent (pl.parallel, no_dep_args)") +
                          ", or submit each with its own part of the tensor";
            made.why = std::to_string(of_kernel_.at(group.after).size()) + " tasks of " + group.after +
                       " are given " + tensors +
                       " as input and output, so each waits for the one before it, but no two of them touch "
                       "the same bytes.";
        } else {
            made.change = group.after + " (" + at + ") waits for " + group.before + " because of " + tensors +
                          ": submit each with its own part of the tensor, or use no_dep_args";
            made.why = "No task of " + group.after + " touches bytes that " + group.before + " touches.";
        }
        return made;
    }

    const Recorded& recorded_;
    std::map<uint64_t, uint32_t> numbers_;
    std::map<std::string, std::vector<uint32_t>> of_kernel_;
    std::map<Group, Members> groups_;
    std::set<std::pair<uint32_t, uint32_t>> needed_;
};

// ---- tasks that only copy -------------------------------------------------------------------

// The arguments that a task reads and writes, if it has one of each.
struct Copied {
    unsigned from = 0, to = 0;
};
std::optional<Copied> copied_by(const Run& run, uint64_t task) {
    std::optional<unsigned> from, to;
    for (const Argument& argument : run.arguments) {
        if (argument.task != task) continue;
        std::optional<unsigned>& one = argument.writes ? to : from;
        if (one || (argument.reads && argument.writes)) return {};
        one = argument.index;
    }
    if (!from || !to) return {};
    return Copied{*from, *to};
}

void propose_copies(const Recorded& recorded, std::vector<Saving>& savings) {
    const auto& tasks = recorded.replay.tasks;
    std::map<std::string, std::vector<uint32_t>> copies;
    std::set<std::string> computes;
    std::map<std::string, std::string> users;  // users of a kernel's output
    for (uint32_t i = 0; i < tasks.size(); ++i) {
        for (const uint32_t before : tasks[i].after)
            if (!tasks[i].kernel.empty() && tasks[before].kernel != tasks[i].kernel)
                users.try_emplace(tasks[before].kernel, tasks[i].kernel);
        if (tasks[i].kernel.empty()) continue;
        copies[tasks[i].kernel].push_back(i);
        for (const size_t part : recorded.graph.parts(tasks[i].id)) {
            const Task& of = recorded.graph.task(part);
            if (of.compute != 0 || of.memory == 0) computes.insert(tasks[i].kernel);
        }
    }
    for (const auto& [kernel, numbers] : copies) {
        const auto copied = copied_by(recorded.run, tasks[numbers.front()].id);
        if (computes.count(kernel) != 0 || users.count(kernel) == 0 || !copied) continue;
        Replay changed = recorded.replay;
        for (const uint32_t number : numbers) {
            ReplayedTask& task = changed.tasks[number];
            task.parts.clear();
            task.gap = task.submit = 0;
        }
        const Cycle saved = recorded.saves(changed);
        if (saved == 0) continue;
        Saving made = Saving::of_program(Saving::Kind::kDependency, saved, kernel, recorded.sites);
        const std::string from = recorded.sites.argument(kernel, copied->from),
                          to = recorded.sites.argument(kernel, copied->to);
        made.change = "Let " + users.at(kernel) + " (" + recorded.sites.text(users.at(kernel)) + ") read " + from +
                      ", and leave out " + kernel + " (" + recorded.sites.text(kernel) + "), which copies " + from +
                      " to " + to;
        made.why = "Its tasks only load and store.";
        savings.push_back(std::move(made));
    }
}

}  // namespace

void propose_dependencies(const Recorded& recorded, std::vector<Saving>& savings) {
    Dependencies(recorded).propose(savings);
    propose_copies(recorded, savings);
}

}  // namespace ptosim::mpmd
