#include "sim/session/path_findings.h"

#include <algorithm>

#include "sim/check/checkers/sync.h"

namespace ptosim {
namespace {

// Findings about values do not count, because data are undefined and arrays are not made for other arguments.
bool is_judged(const Diagnostic& d) {
    if (d.code == "A06") return true;
    if (d.code == "E21") return false;  // the budget's limit
    // A path with too few iterations to show a bound.
    if (std::find(d.notes.begin(), d.notes.end(), check::kTwoSets) != d.notes.end())
        return false;
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

bool same_finding(const Diagnostic& a, const Diagnostic& b) {
    return a.code == b.code && a.file == b.file && a.location == b.location &&
           a.operand == b.operand && other_place(a) == other_place(b);
}

// True if the finding of a run concerns a flag that a branch leaves unbalanced.
bool is_about(const Diagnostic& d, const Diagnostic& branch) {
    if (branch.code != "E31" || d.category == Category::kRace) return false;
    return std::any_of(branch.related.begin(), branch.related.end(), [&](const RelatedSite& flag) {
        return flag.location == d.location || flag.location == other_place(d) ||
               std::any_of(d.waits.begin(), d.waits.end(), [&](const WaitEdge& wait) {
                   return wait.file == flag.file && wait.line == flag.location.line;
               });
    });
}

}  // namespace

void PathFindings::add(const std::vector<Diagnostic>& of_run, const PathOfRun& path) {
    for (const Diagnostic& d : of_run) {
        if (!is_judged(d) || (path.moves_addresses && is_in_global_memory(d)) ||
            (path.forced && d.code == "E06"))
            continue;
        const auto same = [&](const Diagnostic& other) { return same_finding(d, other); };
        if (std::any_of(reported_.begin(), reported_.end(), same) ||
            std::any_of(found_.begin(), found_.end(), same))
            continue;
        const auto branch =
            std::find_if(reported_.begin(), reported_.end(),
                         [&](const Diagnostic& other) { return is_about(d, other); });
        if (branch != reported_.end()) {
            const std::string note = "a run " + path.with + " finds it: " + d.code;
            if (std::find(branch->notes.begin(), branch->notes.end(), note) == branch->notes.end())
                branch->notes.push_back(note);
            continue;
        }
        Diagnostic& added = found_.emplace_back(d);
        added.message += ", " + path.with;
        added.notes.push_back(
            path.forced ? "forced: the condition does not depend on arguments, so --paths chose the values that the "
                          "kernel reads"
                        : "the given arguments do not reach this path: --paths chose others");
    }
}

}  // namespace ptosim
