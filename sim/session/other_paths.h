// A launch by paths that it has not taken: arms of branches and numbers of iterations.
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
        uint32_t blocks = 1;       // that it had
        uint32_t most_blocks = 1;  // that may be chosen
    };
    // `replays` of the launch; all must outlive this.
    OtherPaths(const PathBudget& budget, Chip& chip, const assembly::AssemblyKernel& kernel,
               ForkedRuns& replays, Launch launch);

    struct Found {
        PathSummary summary;
        std::vector<Diagnostic> findings;
        assembly::StepCounts counts;  // of all runs together
    };
    // After the launch, which has ended; `counts` are its steps, `reported` as for PathFindings.
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

// Whether a kernel has paths that arguments, blocks or data decide.
bool has_paths(const Kernel& kernel);

}  // namespace ptosim
