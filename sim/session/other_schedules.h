// Runs a launch under other legal timings (sim/machine/timing/schedule.h). A different result is a finding.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/session/forked_runs.h"
#include "sim/session/schedule_choice.h"

namespace ptosim {

class OtherSchedules {
 public:
    // `replays` of the launch; they must outlive this object.
    OtherSchedules(const ScheduleChoice& choice, Chip& chip, const Kernel& kernel, ForkedRuns& replays)
        : choice_{choice}, chip_{chip}, kernel_{kernel}, replays_{replays} {}

    struct Found {
        ScheduleSummary summary;
        std::vector<Diagnostic> findings;
        std::vector<std::string> notes;
    };
    // Called after the launch has ended well; `seconds` is its duration on this host. `of_checkers` are the findings of
    // its checkers; a race among them is not reported again.
    Found compare(const LaunchResult& run, const std::vector<Diagnostic>& of_checkers,
                  double seconds);

 private:
    void add_findings(const ForkedRuns::Outcome& outcome, const LaunchResult& run, unsigned number,
                      Found& found) const;
    void explain(uint64_t output, unsigned number, const std::vector<Diagnostic>& of_checkers,
                 Found& found);
    std::string schedule_text(unsigned number) const;

    const ScheduleChoice choice_;
    Chip& chip_;
    const Kernel& kernel_;
    ForkedRuns& replays_;
    unsigned limit_ = 0;  // seconds that a run may take
    unsigned explained_ = 0;
    std::optional<check::AccessRecord> unperturbed_;
};

}  // namespace ptosim
