// Flags and signals that do not balance.
#pragma once

#include "sim/check/findings.h"
#include "sim/check/timelines.h"

namespace ptosim::check {

class SyncChecker {
 public:
    SyncChecker(const Timelines& timelines, Findings& findings)
        : timelines_{timelines}, findings_{findings} {}
    void launch(const LaunchEvent& event) { sources_ = event.sources; }
    // A set that is not ordered behind the wait for the set before it.
    void early_set(const FlagEvent& event, SourceLocation wait);
    // What a core leaves behind, when its block or the launch has ended as it should.
    void block_end(const RunEvent& event);
    void launch_end();

 private:
    Diagnostic finding(const char* code, std::string message, SourceLocation where, CoreId core,
                       Pipe pipe, Cycle time) const;
    void left_over(const Timelines::Core& core, unsigned id,
                   const std::deque<Timelines::Arrived>& list);
    void unmatched(const Timelines::Core& core, Timelines::SignalKey key,
                   const std::deque<Timelines::Sent>& list);

    const Timelines& timelines_;
    Findings& findings_;
    const SourceMap* sources_ = nullptr;
};

}  // namespace ptosim::check
