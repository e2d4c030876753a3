// The scalar unit of a core: it runs a kernel's control flow, issues instructions to the pipes, and
// waits for them.
//
// The control flow is a process of its own, made with the core's first block. It runs ahead of time
// as long as it only issues instructions to pipes: these join the run-ahead queue, each with the
// scalar cycles before it, and the scalar unit's actor issues them when their time has come. Before
// anything else (a flag that the scalar unit waits for, an access of memory, the end of the kernel)
// the control flow catches up: it waits until the queue is empty.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/core/pipes.h"

namespace ptosim {

class ScalarUnit {
 public:
    // `work` is what the process does: blocks, one after the other.
    ScalarUnit(CoreContext& core, Pipes& pipes, std::function<void()> work);

    // ---- blocks

    // Waits until there is a block for the core. The process begins when there is one.
    void wait_for_block();
    // A block begins; the control flow may run ahead of its pipes if `runs_ahead`.
    void begin_block(bool runs_ahead);

    // ---- time; none passes in --mode functional

    // Charges time of the control flow, which passes later.
    void charge(Milli time) {
        if (core_.keeps_time()) charged_ += time;
    }
    // `where` is the last of them, if it is known.
    void charge_operations(unsigned operations, SourceLocation where = {});
    // An instruction is produced: every now and then this checks whether the launch, and its
    // observers, go on.
    void count_instruction(SourceLocation where) {
        note(where);
        if (watch_.count_instruction(core_.now())) look();
    }
    // The whole cycles that have been charged: they pass before the next instruction.
    Cycle take_charged();
    // Catches up, and lets all charged time pass.
    void spend();

    // ---- issuing

    // Instructions get numbers in the order in which they are issued.
    uint64_t next_sequence() const { return next_sequence_; }
    uint64_t take_sequence() { return next_sequence_++; }
    // Joins the run-ahead queue: to be issued `delay` cycles after what is before it.
    void run_ahead(Cycle delay, PipeUnit& unit, PipeUnit::Entry& entry) {
        push({&entry, &unit, delay});
    }
    // Cycles without an entry, of an instruction that is not executed.
    void run_ahead(Cycle delay) { push({nullptr, nullptr, delay}); }
    // Issues an entry when these pipes have completed all that
    // they have been given, and waits until it is complete.
    void issue_serialized(std::span<const Pipe> awaited, Cycle delay, PipeUnit& unit,
                          PipeUnit::Entry& entry);
    // Waits until the run-ahead queue is empty.
    void catch_up();
    // Waits for the time at which the next instruction is issued.
    void reach_issue(Cycle delay);

    // ---- waiting, with an empty run-ahead queue

    void wait_for(Event& event);
    void wait_for(Wakeup& wakeup) { wait_for(wakeup.event()); }
    void wait_for(Cycle cycles);
    // What it waits for is reported to observers and to the report of a deadlock.
    void block(BlockReason reason, const Instruction* instruction, uint64_t sequence);
    void unblock(const BlockEvent& released = {});
    // Waits until each pipe has completed so many entries. `tells_releaser`: what it says
    // of the end of the wait names the entry waited for.
    void wait_for_pipes(const PipeCounts& completed, BlockReason reason,
                        const Instruction* instruction, uint64_t sequence,
                        bool tells_releaser = false);

    struct State {
        bool issuing = false;  // the kernel's control flow has not ended yet
        bool blocked = false;
        BlockReason reason = BlockReason::kQueueFull;
        const Instruction* instruction = nullptr;  // what waits, if it is one
        uint64_t sequence = 0;
    };
    const State& state() const { return state_; }
    void end_control_flow() { state_.issuing = false; }

 private:
    // An instruction that the control flow has produced and the scalar unit has not issued yet, and
    // the cycles between it and the one before. Without an entry: the cycles alone.
    struct RunAhead {
        PipeUnit::Entry* entry = nullptr;
        PipeUnit* unit = nullptr;
        Cycle delay = 0;
    };

    void push(const RunAhead& next) {
        run_ahead_.push_back(next);
        if (run_ahead_.size() >= most_ahead_) catch_up();
    }
    // Where the control flow has been.
    void note(SourceLocation where) { recent_[recent_count_++ % recent_.size()] = where; }
    void look();
    void act();
    bool has_block();
    void await_block();
    bool issue_run_ahead();

    CoreContext& core_;
    Pipes& pipes_;
    LaunchWatch& watch_;
    Actor actor_ = Actor::of<&ScalarUnit::act>(this);
    Process process_;
    Event timer_;
    std::vector<RunAhead> run_ahead_;
    size_t next_ = 0;            // the first of these that has not been issued
    bool delay_passed_ = false;  // of that one
    bool catching_up_ = false;   // the process waits until the actor has issued them all
    bool awaits_block_ = true;   // so does it for a block
    Event* assigned_ = nullptr;  // the event of its next block, if it takes part in the launch
    size_t most_ahead_ = 1;
    State state_;
    uint64_t next_sequence_ = 0;
    Milli charged_ = 0;                        // scalar time not passed yet
    std::array<SourceLocation, 64> recent_{};  // where the control flow has been
    size_t recent_count_ = 0;
};

}  // namespace ptosim
