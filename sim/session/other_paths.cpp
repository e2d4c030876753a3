#include "sim/session/other_paths.h"

#include <algorithm>
#include <map>

#include "sim/check/findings.h"
#include "sim/session/other_arguments.h"

namespace ptosim {
namespace {

using assembly::AssemblyKernel;
using assembly::ForcedStep;
using assembly::PathChoice;
using assembly::PathTarget;
using assembly::StepCode;

constexpr unsigned kMostSeconds = 10;  // of a run
constexpr size_t kMostChoices = 3;     // runs for a target, because the first may end early

void add(assembly::StepCounts& sum, const assembly::StepCounts& more) {
    sum.executed.resize(more.executed.size());
    sum.jumped.resize(more.jumped.size());
    for (size_t i = 0; i < more.executed.size(); ++i) {
        sum.executed[i] += more.executed[i];
        sum.jumped[i] += more.jumped[i];
    }
}

}  // namespace

bool has_other_paths(const Kernel& kernel) {
    const AssemblyKernel* const steps = assembly::steps_of(kernel);
    return steps != nullptr ? !path_targets(steps->program()).empty() : has_integer_arguments(kernel);
}

OtherPaths::OtherPaths(const PathBudget& budget, Chip& chip, const AssemblyKernel& kernel,
                       ForkedRuns& replays, Launch launch)
    : budget_{budget},
      kernel_{kernel},
      replays_{replays},
      launch_{std::move(launch)},
      search_{kernel,
              PathChoice{launch_.arguments, launch_.blocks, {}, false},
              dry_launch(chip),
              launch_.most_blocks},
      pending_{path_targets(kernel.program())} {}

OtherPaths::Found OtherPaths::explore(const assembly::StepCounts& counts,
                                      std::vector<Diagnostic>& reported) {
    Found found;
    found.summary.budget = budget_;
    std::erase_if(pending_, [&](const PathTarget& target) { return has_done(counts, target); });
    PathFindings findings(reported);
    while (!pending_.empty() && !found.summary.used_up) {
        const PathTarget target = pending_.front();
        for (const PathChoice& choice : search_.find(target, kMostChoices)) {
            if (!run(choice, findings, found)) break;
            if (std::find(pending_.begin(), pending_.end(), target) == pending_.end()) break;
        }
        std::erase(pending_, target);
        found.summary.used_up |= search_.used_up();
    }
    found.findings = findings.take();
    return found;
}

// Returns false if the budget is used up.
bool OtherPaths::run(const PathChoice& choice, PathFindings& findings, Found& found) {
    PathSummary& summary = found.summary;
    if (summary.runs >= budget_.runs || summary.instructions >= budget_.instructions) {
        summary.used_up = true;
        return false;
    }
    ++summary.runs;
    const std::optional<PathRun> run =
        replays_.explore(choice, budget_.instructions - summary.instructions, kMostSeconds);
    if (!run) return true;
    summary.instructions += run->instructions;
    add(found.counts, run->counts);
    const std::string with = with_text(choice);
    std::erase_if(pending_, [&](const PathTarget& target) {
        if (!has_done(run->counts, target)) return false;
        summary.reached.push_back({std::string(kernel_.sources().file(target.where)),
                                   target.where.line, std::string(name(target.kind)), with,
                                   !choice.forced.empty()});
        return true;
    });
    findings.add(run->findings, {with, !choice.forced.empty(), choice.moves_addresses});
    return true;
}

// Text such as "with %n = 0", "with 2 blocks", "where the load at k.pto:12 gives 3".
std::string OtherPaths::with_text(const PathChoice& choice) const {
    std::string given, forced;
    const auto listed = [](std::string& list, std::string_view begin, const std::string& text) {
        list += (list.empty() ? std::string(begin) : std::string(", ")) + text;
    };
    for (size_t i = 0; i < choice.arguments.size(); ++i)
        if (choice.arguments[i] != launch_.arguments[i])
            listed(given, "with ",
                   "%" + kernel_.parameters()[i].name + " = " +
                       std::to_string(static_cast<int64_t>(choice.arguments[i])));
    if (choice.blocks != launch_.blocks)
        listed(given, "with ",
               std::to_string(choice.blocks) + (choice.blocks == 1 ? " block" : " blocks"));
    std::map<uint64_t, std::vector<std::string>> loads;  // their lines, by the loaded value
    for (const ForcedStep& one : choice.forced) {
        const assembly::Step& step = kernel_.program().steps[one.step];
        const std::string at = check::location_text(kernel_.sources(), step.where);
        if (step.code == StepCode::kLoadGlobal || step.code == StepCode::kLoadLocal)
            loads[one.value].push_back(at);
        else
            listed(forced, "where ",
                   "the condition at " + at + (one.value != 0 ? " holds" : " does not hold"));
    }
    for (const auto& [value, lines] : loads)
        listed(forced, "where ",
               (lines.size() == 1 ? "the load at " + lines.front() + " gives "
                                  : std::to_string(lines.size()) + " loads, the first at " +
                                        lines.front() + ", give ") +
                   std::to_string(static_cast<int64_t>(value)));
    return given + (given.empty() || forced.empty() ? "" : " ") + forced;
}

}  // namespace ptosim
