// Flags and cross-core signals whose sets and waits do not match.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "sim/check/checker.h"
#include "sim/check/open_flags.h"

namespace ptosim::check {

// Note of an early set (E07) where the flag has too few sets for a third one to show a bound.
inline constexpr std::string_view kTwoSets =
    "no third set shows whether the kernel's other flags bound the sets of this one";

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
    Diagnostic early_set(const FlagEvent& event, const Timelines::Flag& state,
                         Timelines::SetOrder order) const;
    // Reports the early sets of a core, once its block has ended only if the order of the kernel does not bound all of
    // its flags.
    void report_early_sets(CoreId core, bool ended);
    void check_slot_pitch(const InstructionEvent& event, const Timelines::Sent& other, unsigned id);
    Diagnostic finding(const char* code, std::string message, SourceLocation where, CoreId core,
                       Pipe pipe, Cycle time) const;
    bool meant_for_other_core(const Timelines::Core& core, unsigned id,
                              const Timelines::Sent& sent) const;
    void left_over(const Timelines::Core& core, unsigned id,
                   const std::deque<Timelines::Arrived>& list);
    void unmatched(const Timelines::Core& core, Timelines::SignalKey key,
                   const std::deque<Timelines::Sent>& list);

    std::string kernel_;
    struct FlagOfCore {
        CoreId core;
        Timelines::FlagKey flag;
        bool operator<(const FlagOfCore& other) const {
            return std::tie(core.type, core.index, flag) <
                   std::tie(other.core.type, other.core.index, other.flag);
        }
    };
    std::map<FlagOfCore, std::string> left_sets_;  // locations of their last sets, as text
    using EarlySets = std::map<std::string, Diagnostic>;  // by site
    // Sets of blocks that run, which nothing orders after the wait for the set before, though it had been executed.
    std::map<FlagOfCore, EarlySets> early_sets_;
    std::set<uint16_t> out_of_turn_;  // cores whose block has set a flag that was set
    OpenFlags open_;
};

}  // namespace ptosim::check
