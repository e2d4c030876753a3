#include "sim/session/other_paths.h"

#include <algorithm>
#include <cstring>

#include "sim/check/findings.h"

namespace ptosim {
namespace {

using assembly::AssemblyKernel;
using assembly::ForcedStep;
using assembly::PathChoice;
using assembly::PathTarget;
using assembly::StepCode;

constexpr unsigned kMostSeconds = 10;  // of a run
constexpr size_t kMostChoices = 3;     // runs for a target, as the first may end early

// Values are not judged: data are undefined, and arrays not made for other arguments.
bool is_judged(const Diagnostic& d) {
    if (d.code == "A06") return true;
    if (d.code == "E21") return false;  // the budget's limit
    return d.category == Category::kRace || d.category == Category::kSync ||
           d.category == Category::kDeadlock;
}

bool is_in_global_memory(const Diagnostic& d) {
    return d.category == Category::kRace &&
           (d.code == "G04" || d.message.find(" race in argument") != std::string::npos ||
            d.message.find(" race in global memory") != std::string::npos);
}

SourceLocation other_place(const Diagnostic& d) {
    return d.related.empty() ? SourceLocation{} : d.related.front().location;
}

bool same_site(const Diagnostic& a, const Diagnostic& b) {
    return a.code == b.code && a.file == b.file && a.location == b.location &&
           a.operand == b.operand && other_place(a) == other_place(b);
}

// The finding of a run is about a flag that a branch leaves unbalanced.
bool is_about(const Diagnostic& d, const Diagnostic& branch) {
    if (branch.code != "E31" || d.category == Category::kRace) return false;
    return std::any_of(branch.related.begin(), branch.related.end(), [&](const RelatedSite& flag) {
        return flag.location == d.location || flag.location == other_place(d) ||
               std::any_of(d.waits.begin(), d.waits.end(), [&](const WaitEdge& wait) {
                   return wait.file == flag.file && wait.line == flag.location.line;
               });
    });
}

void add(assembly::StepCounts& sum, const assembly::StepCounts& more) {
    sum.executed.resize(more.executed.size());
    sum.jumped.resize(more.jumped.size());
    for (size_t i = 0; i < more.executed.size(); ++i) {
        sum.executed[i] += more.executed[i];
        sum.jumped[i] += more.jumped[i];
    }
}

assembly::DryLaunch dry_launch(Chip& chip) {
    assembly::DryLaunch launch;
    launch.arch = chip.model().arch;
    launch.load = [&chip](uint64_t address, DType type) {
        uint64_t value = 0;
        const uint64_t size = bits(type) / 8;
        if (chip.global().contains(address, size))
            std::memcpy(&value, GlobalMemory::host(address), size);
        return value;
    };
    return launch;
}

}  // namespace

bool has_paths(const Kernel& kernel) {
    const auto* const assembly = dynamic_cast<const AssemblyKernel*>(&kernel);
    return assembly != nullptr && !path_targets(assembly->program()).empty();
}

OtherPaths::OtherPaths(const PathBudget& budget, Chip& chip, const AssemblyKernel& kernel,
                       Replays& replays, Launch launch)
    : budget_{budget},
      chip_{chip},
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
    while (!pending_.empty() && !found.summary.used_up) {
        const PathTarget target = pending_.front();
        for (const PathChoice& choice : search_.find(target, kMostChoices)) {
            if (!run(choice, reported, found)) break;
            if (std::find(pending_.begin(), pending_.end(), target) == pending_.end()) break;
        }
        std::erase(pending_, target);
    }
    return found;
}

// False if the budget does not allow it.
bool OtherPaths::run(const PathChoice& choice, std::vector<Diagnostic>& reported, Found& found) {
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
    add_findings(*run, choice, reported, found);
    return true;
}

void OtherPaths::add_findings(const PathRun& run, const PathChoice& choice,
                              std::vector<Diagnostic>& reported, Found& found) const {
    const std::string with = with_text(choice);
    for (const Diagnostic& d : run.findings) {
        if (!is_judged(d) || (choice.moves_addresses && is_in_global_memory(d)) ||
            (!choice.forced.empty() && d.code == "E06"))
            continue;
        const auto same = [&](const Diagnostic& other) { return same_site(d, other); };
        if (std::any_of(reported.begin(), reported.end(), same) ||
            std::any_of(found.findings.begin(), found.findings.end(), same))
            continue;
        const auto branch = std::find_if(reported.begin(), reported.end(), [&](const Diagnostic& other) {
            return is_about(d, other);
        });
        if (branch != reported.end()) {
            const std::string note = "a run " + with + " finds it: " + d.code;
            if (std::find(branch->notes.begin(), branch->notes.end(), note) == branch->notes.end())
                branch->notes.push_back(note);
            continue;
        }
        Diagnostic& added = found.findings.emplace_back(d);
        added.message += ", " + with;
        added.notes.push_back(
            choice.forced.empty()
                ? "the given arguments do not lead there: --paths has chosen others"
                : "forced: no arguments decide it, --paths has chosen what the kernel reads");
    }
}

// "with %n = 0", "with 2 blocks", "where the load at k.pto:12 gives 3"
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
    for (const ForcedStep& one : choice.forced) {
        const assembly::Step& step = kernel_.program().steps[one.step];
        const std::string at = check::location_text(kernel_.sources(), step.where);
        if (step.code == StepCode::kLoadGlobal || step.code == StepCode::kLoadLocal)
            listed(forced, "where ", "the load at " + at + " gives " +
                                         std::to_string(static_cast<int64_t>(one.value)));
        else
            listed(forced, "where ",
                   "the condition at " + at + (one.value != 0 ? " holds" : " does not hold"));
    }
    return given + (given.empty() || forced.empty() ? "" : " ") + forced;
}

}  // namespace ptosim
