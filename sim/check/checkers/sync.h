// Flags and cross-core signals whose sets and waits do not match.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "sim/check/checker.h"
#include "sim/check/open_flags.h"

namespace ptosim::check {

class SyncChecker final : public Checker {
 public:
    using Checker::Checker;
    void on_launch(const LaunchEvent& event) override;
    void on_block_begin(const RunEvent& event) override;
    // Flags and signals left over after a block or the launch has ended normally.
    void on_block_end(const RunEvent& event) override;
    void on_launch_end(Cycle time) override;
    // Flags in program order, and instructions that use flags internally.
    void on_issue(const InstructionEvent& event) override;
    // Waits of a FIFO that have consumed a signal of its other end.
    void on_start(const InstructionEvent& event) override;
    // A set that is not ordered after the wait for the previous set.
    void on_flag_set(const FlagEvent& event) override;
    // A wait that takes a set of an earlier launch.
    void on_flag_wait(const FlagEvent& event) override;
    // A signal whose 4-bit counter may be full under another timing, though not in this run.
    void on_signal(const SignalEvent& event) override;

 private:
    void check_slot_pitch(const InstructionEvent& event, const Timelines::Sent& other, unsigned id);
    Diagnostic finding(const char* code, std::string message, SourceLocation where, CoreId core,
                       Pipe pipe, Cycle time) const;
    void left_over(const Timelines::Core& core, unsigned id,
                   const std::deque<Timelines::Arrived>& list);
    void unmatched(const Timelines::Core& core, Timelines::SignalKey key,
                   const std::deque<Timelines::Sent>& list);

    std::string kernel_;
    struct LeftFlag {
        CoreId core;
        Timelines::FlagKey flag;
        bool operator<(const LeftFlag& other) const {
            return std::tie(core.type, core.index, flag) <
                   std::tie(other.core.type, other.core.index, other.flag);
        }
    };
    std::map<LeftFlag, std::string> left_sets_;  // locations of their last sets, as text
    OpenFlags open_;
};

}  // namespace ptosim::check
