// Further runs of one launch, in forks: under other timings, by other paths, with mends of its
// findings, and with the changes that advice proposes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/check/checkers.h"
#include "sim/check/issue_log.h"
#include "sim/session/forked_runs.h"
#include "sim/session/options.h"
#include "sim/session/result.h"

namespace ptosim {

class LaunchRepeats {
 public:
    // Parts of the session, which outlive this object.
    struct Parts {
        const SessionOptions& options;
        const RunSettings& settings;
        Chip& chip;
        const std::optional<check::Checkers>& checkers;  // made by Session::observe()
        check::IssueLog& issues;
        std::vector<check::Cause>& causes;  // of earlier launches; those of this one are added
        ScopeMeter& scope;
        Result& result;
    };
    struct Launch {
        const Kernel& kernel;
        KernelArguments arguments;
        const LaunchOptions& options;
        bool chosen_blocks = false;  // paths with more blocks are not tried
        ForkedRuns::Remake remake{};
    };
    // Decides which runs are needed, and keeps the device in its state before the launch for them.
    // Called right before Session::observe(). Throws DiagnosticError (I03) if other timings were
    // requested and the system has no room for a process.
    LaunchRepeats(const Parts& parts, const Launch& launch);

    // The launch has ended after `seconds` on this host. The findings of its further runs become
    // findings of it. Returns the runs if advice may try changes of the launch, else null.
    std::unique_ptr<ForkedRuns> end(LaunchResult& done, double seconds);

    // True if launches of this kernel run under other timings or by other paths.
    static bool runs_others(const RunSettings& settings, Chip& chip, const Kernel& kernel);
    // True if findings of a session's launches are explained by runs with mends.
    static bool seeks_causes(const SessionOptions& options, const RunSettings& settings) {
        return options.causes && settings.checks.has("race") && settings.checks.has("sync");
    }

 private:
    void seek_causes(const LaunchResult& done);
    void explore_paths(LaunchResult& done);

    const Parts parts_;
    const Launch launch_;
    bool schedules_ = false, paths_ = false;
    const bool causes_, trials_;
    const size_t known_;  // findings of checkers before the launch
    std::unique_ptr<ForkedRuns> runs_;
};

// Findings of checkers that the machine has not reported itself.
std::vector<Diagnostic> new_among(const std::vector<Diagnostic>& checkers,
                                  const std::vector<Diagnostic>& machine);

}  // namespace ptosim
