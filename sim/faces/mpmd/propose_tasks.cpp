#include <algorithm>
#include <map>
#include <optional>

#include "sim/faces/mpmd/proposals.h"

namespace ptosim::mpmd {
namespace {

// The tasks of a kernel with one part each, on cores of one type, that do not depend on each other.
struct Kernel {
    std::string name;
    CoreType core = CoreType::kAIV;
    std::vector<uint32_t> tasks;  // numbers
    Cycle mean = 0, least = 0, most = 0;
    Cycle submit = 0;  // mean of one, with the gap before it
};

std::vector<Kernel> kernels_of(const Replay& replay) {
    std::map<std::string, std::optional<Kernel>> found;  // empty: not suitable
    for (uint32_t i = 0; i < replay.tasks.size(); ++i) {
        const ReplayedTask& task = replay.tasks[i];
        if (task.kernel.empty()) continue;
        const auto [at, first] = found.try_emplace(task.kernel, Kernel{});
        std::optional<Kernel>& kernel = at->second;
        if (!kernel) continue;
        const bool same_kernel = std::any_of(task.after.begin(), task.after.end(), [&](uint32_t before) {
            return replay.tasks[before].kernel == task.kernel;
        });
        if (task.parts.size() != 1 || same_kernel || (!first && kernel->core != task.parts[0].core)) {
            kernel.reset();
            continue;
        }
        const Cycle takes = task.parts[0].takes;
        kernel->name = task.kernel;
        kernel->core = task.parts[0].core;
        kernel->least = first ? takes : std::min(kernel->least, takes);
        kernel->most = std::max(kernel->most, takes);
        kernel->mean += takes;
        kernel->submit += task.submit + (i == 0 ? 0 : task.gap);  // the first follows the run's start
        kernel->tasks.push_back(i);
    }
    std::vector<Kernel> kernels;
    for (auto& [name, kernel] : found) {
        if (!kernel) continue;
        kernel->mean /= kernel->tasks.size();
        kernel->submit /= kernel->tasks.size();
        kernels.push_back(std::move(*kernel));
    }
    return kernels;
}

std::string text(size_t count) { return std::to_string(count); }

const char* cores_text(CoreType type) { return type == CoreType::kAIC ? " AICs" : " AIVs"; }

// The smallest factor whose saving is nearly the best.
struct Factor {
    size_t by = 0;
    Cycle saves = 0;
};
Factor best_factor(const std::vector<Factor>& factors) {
    Cycle most = 0;
    for (const Factor& factor : factors) most = std::max(most, factor.saves);
    for (const Factor& factor : factors)
        if (factor.saves != 0 && factor.saves * 20 >= most * 19) return factor;
    return {};
}

// ---- fewer, larger tasks --------------------------------------------------------------------

// Merges `by` tasks into one, at the submit of the last of them. Empty if another task needs one of them before.
std::optional<Replay> merged(const Replay& replay, const Kernel& kernel, size_t by) {
    Replay changed = replay;
    std::vector<uint32_t> now(replay.tasks.size());
    for (uint32_t i = 0; i < now.size(); ++i) now[i] = i;
    for (size_t first = 0; first < kernel.tasks.size(); first += by) {
        const size_t end = std::min(first + by, kernel.tasks.size());
        const uint32_t last = kernel.tasks[end - 1];
        ReplayedTask& all = changed.tasks[last];
        for (size_t i = first; i + 1 < end; ++i) {
            ReplayedTask& one = changed.tasks[kernel.tasks[i]];
            now[kernel.tasks[i]] = last;
            all.parts[0].takes += one.parts[0].takes;
            all.after.insert(all.after.end(), one.after.begin(), one.after.end());
            one.parts.clear();
            one.after.clear();
            one.gap = one.submit = 0;
        }
    }
    for (uint32_t i = 0; i < changed.tasks.size(); ++i)
        for (uint32_t& before : changed.tasks[i].after) {
            before = now[before];
            if (before >= i) return {};
        }
    return changed;
}

void propose_larger(const Recorded& recorded, const Kernel& kernel, std::vector<Saving>& savings) {
    constexpr size_t kMany = 8;
    if (kernel.tasks.size() < kMany || kernel.mean > 2 * kernel.submit) return;
    std::vector<Factor> factors;
    for (size_t by = 2; by <= kernel.tasks.size() / 2; by *= 2)
        if (const auto changed = merged(recorded.replay, kernel, by)) factors.push_back({by, recorded.saves(*changed)});
    const Factor best = best_factor(factors);
    if (best.by == 0) return;
    Saving made = Saving::of_program(Saving::Kind::kTasks, best.saves, kernel.name, recorded.sites);
    const size_t count = kernel.tasks.size();
    made.change = "Give each task of " + kernel.name + " (" + recorded.sites.text(kernel.name) + ") " + text(best.by) +
                  " times the work: " + text((count + best.by - 1) / best.by) + " tasks instead of " + text(count);
    made.why = "Submitting one of its tasks takes " + recorded.us(kernel.submit) + ", running one " +
               recorded.us(kernel.mean) + ".";
    savings.push_back(std::move(made));
}

// ---- more, smaller ones ---------------------------------------------------------------------

Replay split(const Replay& replay, const Kernel& kernel, size_t by) {
    Replay changed = replay;
    changed.tasks.clear();
    std::vector<std::vector<uint32_t>> now(replay.tasks.size());
    Cycle shortest_gap = replay.tasks.front().gap;
    for (const ReplayedTask& task : replay.tasks) shortest_gap = std::min(shortest_gap, task.gap);
    for (uint32_t i = 0; i < replay.tasks.size(); ++i) {
        ReplayedTask task = replay.tasks[i];
        std::vector<uint32_t> after;
        for (const uint32_t before : task.after)
            after.insert(after.end(), now[before].begin(), now[before].end());
        task.after = std::move(after);
        const bool splits = task.kernel == kernel.name;
        if (splits) task.parts[0].takes /= by;
        for (size_t copy = 0; copy < (splits ? by : 1); ++copy) {
            now[i].push_back(static_cast<uint32_t>(changed.tasks.size()));
            changed.tasks.push_back(task);
            task.gap = std::min(task.gap, shortest_gap);
        }
    }
    return changed;
}

void propose_more(const Recorded& recorded, const Kernel& kernel, std::vector<Saving>& savings) {
    const size_t count = kernel.tasks.size(), cores = recorded.replay.cores(kernel.core);
    if (count < 2 || 2 * count > cores || kernel.mean < 4 * kernel.submit) return;
    std::vector<Factor> factors;
    for (size_t by = 2; by * count <= cores; by *= 2)
        factors.push_back({by, recorded.saves(split(recorded.replay, kernel, by))});
    const Factor best = best_factor(factors);
    if (best.by == 0) return;
    Saving made = Saving::of_program(Saving::Kind::kTasks, best.saves, kernel.name, recorded.sites);
    made.change = "Split " + kernel.name + " (" + recorded.sites.text(kernel.name) + ") into " +
                  text(best.by * count) + " tasks instead of " + text(count);
    made.why = "Its tasks keep " + text(count) + " of " + text(cores) + cores_text(kernel.core) + " busy, for " +
               recorded.us(kernel.mean) + " each.";
    savings.push_back(std::move(made));
}

// ---- even shares ----------------------------------------------------------------------------

void propose_even(const Recorded& recorded, const Kernel& kernel, std::vector<Saving>& savings) {
    if (kernel.tasks.size() < 2 || 2 * kernel.most < 3 * kernel.mean) return;
    Replay changed = recorded.replay;
    for (const uint32_t number : kernel.tasks) changed.tasks[number].parts[0].takes = kernel.mean;
    const Cycle saved = recorded.saves(changed);
    if (saved == 0) return;
    Saving made = Saving::of_program(Saving::Kind::kTasks, saved, kernel.name, recorded.sites);
    made.change = "Share the work of " + kernel.name + " (" + recorded.sites.text(kernel.name) + ") evenly among its " +
                  text(kernel.tasks.size()) + " tasks";
    made.why = "They take " + recorded.us(kernel.least) + " to " + recorded.us(kernel.most) + ", in the mean " +
               recorded.us(kernel.mean) + ".";
    savings.push_back(std::move(made));
}

// ---- the longest first ----------------------------------------------------------------------

// Order in which the tasks of a kernel and their dependencies come before all others.
std::vector<uint32_t> with_first(const Replay& replay, const std::string& kernel) {
    std::vector<bool> first(replay.tasks.size());
    for (size_t i = replay.tasks.size(); i-- > 0;) {
        if (replay.tasks[i].kernel == kernel) first[i] = true;
        if (first[i])
            for (const uint32_t before : replay.tasks[i].after) first[before] = true;
    }
    std::vector<uint32_t> order;
    for (const bool wanted : {true, false})
        for (uint32_t i = 0; i < first.size(); ++i)
            if (first[i] == wanted) order.push_back(i);
    return order;
}

void propose_order(const Recorded& recorded, std::vector<Saving>& savings) {
    std::map<std::string, Cycle> longest;
    for (const ReplayedTask& task : recorded.replay.tasks)
        if (!task.kernel.empty()) longest[task.kernel] = std::max(longest[task.kernel], task.longest());
    for (const auto& one : longest) {
        const std::string& kernel = one.first;
        const std::vector<uint32_t> order = with_first(recorded.replay, kernel);
        const bool found = std::any_of(savings.begin(), savings.end(), [&](const Saving& saving) {
            return saving.kind == Saving::Kind::kOrchestration && saving.kernel == kernel;
        });
        if (found || std::is_sorted(order.begin(), order.end())) continue;
        const Cycle saved = recorded.saves(reordered(recorded.replay, order));
        if (saved == 0) continue;
        Saving made = Saving::of_program(Saving::Kind::kTasks, saved, kernel, recorded.sites);
        made.change = "Submit " + kernel + " (" + recorded.sites.text(kernel) + ") before tasks that do not need it";
        made.why = "Such a task takes " + recorded.us(one.second) +
                   ", but others that do not depend on it are submitted first.";
        savings.push_back(std::move(made));
    }
}

}  // namespace

void propose_tasks(const Recorded& recorded, std::vector<Saving>& savings) {
    for (const Kernel& kernel : kernels_of(recorded.replay)) {
        propose_larger(recorded, kernel, savings);
        propose_more(recorded, kernel, savings);
        propose_even(recorded, kernel, savings);
    }
    propose_order(recorded, savings);
}

}  // namespace ptosim::mpmd
