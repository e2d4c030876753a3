// Runs a launch of a compiled kernel with other integer arguments, chosen by the comparisons of its branches.
#pragma once

#include "sim/session/path_choice.h"
#include "sim/session/path_findings.h"
#include "sim/session/forked_runs.h"
#include "sim/session/scope.h"

namespace ptosim {

struct OtherArguments {
    PathSummary summary;
    std::vector<Diagnostic> findings;
};
// Called after the launch with these blocks has ended; `reported` as for PathFindings.
OtherArguments run_other_arguments(const PathBudget& budget, const Kernel& kernel,
                                   const std::vector<uint64_t>& arguments, uint32_t blocks,
                                   ForkedRuns& replays, const Scope& reached,
                                   std::vector<Diagnostic>& reported);

// True if a compiled kernel has integer arguments.
bool has_integer_arguments(const Kernel& kernel);

}  // namespace ptosim
