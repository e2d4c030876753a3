// Flags and cross-core signals whose sets and waits do not match.
#pragma once

#include "sim/check/findings.h"
#include "sim/check/timelines.h"

namespace ptosim::check {

class SyncChecker {
 public:
    // `balance`: look for sets and waits that do not match; `ids`: see same_id().
    SyncChecker(const Timelines& timelines, Findings& findings, bool balance, bool ids)
        : timelines_{timelines}, findings_{findings}, balance_{balance}, ids_{ids} {}
    bool balance() const { return balance_; }
    void launch(const LaunchEvent& event);
    // A set that is not ordered after the wait for the previous set; `state`: of its flag, with it.
    void early_set(const FlagEvent& event, Timelines::SetOrder order, const Timelines::Flag& state);
    // A wait that takes a set of an earlier launch.
    void carried_wait(const FlagEvent& event);
    // A signal whose 4-bit counter may be full with another timing, though not in this run.
    void counter_overflow(const SignalEvent& event);
    // Flags in program order, and instructions that use flags internally.
    void issue(const InstructionEvent& event, Arch arch);
    // Waits of a FIFO that have consumed a signal of its other end.
    void start(const InstructionEvent& event);
    void block_begin(const RunEvent& event);
    // Flags and signals that are left when a block or the launch has ended normally.
    void block_end(const RunEvent& event);
    void launch_end();

 private:
    // Sources disagree on whether a hardware flag belongs to a pair of pipes or to its source pipe
    // alone: a public report (hw-native-sys/PTOAS 823) describes a hang that only the latter
    // explains.
    void same_id(const InstructionEvent& event);
    Diagnostic finding(const char* code, std::string message, SourceLocation where, CoreId core,
                       Pipe pipe, Cycle time) const;
    void left_over(const Timelines::Core& core, unsigned id,
                   const std::deque<Timelines::Arrived>& list);
    void unmatched(const Timelines::Core& core, Timelines::SignalKey key,
                   const std::deque<Timelines::Sent>& list);

    const Timelines& timelines_;
    Findings& findings_;
    const bool balance_, ids_;
    const SourceMap* sources_ = nullptr;
    std::string kernel_;
    struct LeftFlag {
        CoreId core;
        Timelines::FlagKey flag;
        bool operator<(const LeftFlag& other) const {
            return std::tie(core.type, core.index, flag) <
                   std::tie(other.core.type, other.core.index, other.flag);
        }
    };
    std::map<LeftFlag, std::string> left_sets_;  // where their last sets are, as text
    // By core, source, destination and id: the set that the program has not waited for yet.
    static constexpr size_t kIds = 16;
    struct Open {
        bool set = false;
        SourceLocation location;
    };
    std::vector<std::array<Open, kPipeCount * kPipeCount * kIds>> open_;
    Open& open(uint16_t core, Pipe source, Pipe destination, unsigned id) {
        return open_[core]
                    [(static_cast<size_t>(source) * kPipeCount + static_cast<size_t>(destination)) *
                         kIds +
                     id % kIds];
    }
};

}  // namespace ptosim::check
