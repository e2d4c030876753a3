// Flags and signals that do not balance.
#pragma once

#include "sim/check/findings.h"
#include "sim/check/timelines.h"

namespace ptosim::check {

class SyncChecker {
 public:
    // `balance`: what this file is about; `ids`: flags of one pipe with one id, see same_id.
    SyncChecker(const Timelines& timelines, Findings& findings, bool balance, bool ids)
        : timelines_{timelines}, findings_{findings}, balance_{balance}, ids_{ids} {}
    bool balance() const { return balance_; }
    void launch(const LaunchEvent& event);
    // A set that is not ordered behind the wait for the set before it.
    void early_set(const FlagEvent& event, SourceLocation wait);
    // A signal that finds its counter full in some timing, though not in this one.
    void crowded(const SignalEvent& event);
    // Flags as the program writes them, and instructions that use flags inside.
    void issue(const InstructionEvent& event, Arch arch);
    // Waits of a FIFO that have taken a signal of its other end.
    void start(const InstructionEvent& event);
    void block_begin(const RunEvent& event);
    // What a core leaves behind, when its block or the launch has ended as it should.
    void block_end(const RunEvent& event);
    void launch_end();

 private:
    // Whether a hardware flag is one of a pair of pipes, or of its source alone, is not agreed on:
    // a public report (hw-native-sys/PTOAS 823) has seen a kernel hang that the first does not
    // explain.
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
