// Runs a launch by paths that it has not taken: arms of branches and numbers of iterations.
#pragma once

#include <string>
#include <vector>

#include "isa/assembly/paths/search.h"
#include "sim/session/path_choice.h"
#include "sim/session/path_findings.h"
#include "sim/session/forked_runs.h"

namespace ptosim {

class OtherPaths {
 public:
    struct Launch {
        std::vector<uint64_t> arguments;
        uint32_t blocks = 1;       // number in the launch
        uint32_t most_blocks = 1;  // largest permitted number
    };
    // `replays` of the launch; all arguments must outlive this object.
    OtherPaths(const PathBudget& budget, Chip& chip, const assembly::AssemblyKernel& kernel,
               ForkedRuns& replays, Launch launch);

    struct Found {
        PathSummary summary;
        std::vector<Diagnostic> findings;
        assembly::StepCounts counts;  // of all runs together
    };
    // Called after the launch has ended; `counts` are its steps, `reported` as for PathFindings.
    Found explore(const assembly::StepCounts& counts, std::vector<Diagnostic>& reported);

 private:
    bool run(const assembly::PathChoice& choice, PathFindings& findings, Found& found);
    std::string with_text(const assembly::PathChoice& choice) const;

    const PathBudget budget_;
    const assembly::AssemblyKernel& kernel_;
    ForkedRuns& replays_;
    const Launch launch_;
    assembly::PathSearch search_;
    std::vector<assembly::PathTarget> pending_;
};

// True if a kernel has paths that depend on arguments, blocks or data; of compiled code, if it has integer arguments.
bool has_other_paths(const Kernel& kernel);

}  // namespace ptosim
