// The scalar unit of a core: runs a kernel's control flow, issues instructions to the pipes, and waits for them.
//
// The control flow is a separate process, made with the core's first block. While it only issues instructions to pipes,
// it runs ahead of time: instructions join the run-ahead queue, each with the scalar cycles before it, and the scalar
// unit's actor issues them when their time has come. Before anything else (a flag that the scalar unit waits for, a
// memory access, the end of the kernel) the control flow catches up: it waits until the queue is empty.
#pragma once

#include <array>
#include <functional>
#include <span>

#include "sim/machine/core/pipes.h"
#include "sim/machine/event/process.h"

namespace ptosim {

class ScalarUnit {
 public:
    // `work` is the body of the process: runs one block after the other.
    ScalarUnit(CoreContext& core, Pipes& pipes, std::function<void()> work);

    // Counts in this watch from now on: while clusters run apart, each has its own.
    void count_in(LaunchWatch& watch) { watch_ = &watch; }

    // ---- blocks

    // Waits until the core has a block. The process begins with the first one.
    void wait_for_block();
    // A block begins; the control flow may run ahead of its pipes if `runs_ahead`.
    void begin_block(bool runs_ahead);

    // ---- time; none passes in --mode functional

    // Charges time of the control flow; it passes later.
    void charge(Milli time) {
        if (core_.keeps_time()) charged_ += time;
    }
    // `where` is the location of the last operation, if known.
    void charge_operations(unsigned operations, SourceLocation where = {});
    // Charges compiled code, in instructions of the host.
    void charge_code(uint64_t instructions) {
        charge(static_cast<Milli>(instructions) * core_.read(core_.model.scalar.code));
        if (charged_ > kMostCharged) spend();
    }
    // Counts an instruction. At intervals it checks whether the launch and its observers continue.
    void count_instruction(SourceLocation where) {
        note(where);
        if (watch_->count_instruction(core_.now())) look();
    }
    // Counts and charges an instruction. Returns the whole cycles charged before it.
    Cycle begin_issue(SourceLocation where) {
        count_instruction(where);
        charge(core_.read(core_.model.scalar.issue));
        return take_charged();
    }
    // Removes and returns the whole cycles charged; they pass before the next instruction.
    Cycle take_charged();
    // Catches up and lets all charged time pass.
    void spend();

    // ---- issuing

    // Instructions are numbered in the order of issue.
    uint64_t next_sequence() const { return next_sequence_; }
    uint64_t take_sequence() { return next_sequence_++; }
    // Appends an entry to the run-ahead queue, to be issued `delay` cycles after its predecessor.
    void run_ahead(Cycle delay, PipeUnit& unit, PipeUnit::Entry& entry) {
        push({&entry, &unit, delay});
    }
    // Appends the cycles of an instruction that is not executed.
    void run_ahead(Cycle delay) { push({nullptr, nullptr, delay}); }
    // Issues an entry after these pipes have completed everything pushed into them, and waits until it is complete.
    void issue_serialized(std::span<const Pipe> awaited, Cycle delay, PipeUnit& unit,
                          PipeUnit::Entry& entry);
    // Waits until the run-ahead queue is empty.
    void catch_up();
    // Waits for the issue time of the next instruction.
    void reach_issue(Cycle delay);

    // ---- waiting, with an empty run-ahead queue

    void wait_for(Event& event);
    void wait_for(Wakeup& wakeup) { wait_for(wakeup.event()); }
    void wait_for(Cycle cycles);
    // Calls `work`, which touches what clusters share. The run-ahead queue need not be empty.
    void call_alone(std::function<void()> work);
    // The reason of the wait is reported to observers and in the report of a deadlock.
    void block(BlockReason reason, const Instruction* instruction, uint64_t sequence);
    void unblock(const BlockEvent& released = {});
    // Waits until each pipe has completed this number of entries. `tells_releaser`: the event at the end of the wait
    // names the entry that was waited for.
    void wait_for_pipes(const PipeCounts& completed, BlockReason reason,
                        const Instruction* instruction, uint64_t sequence,
                        bool tells_releaser = false);

    struct State {
        bool issuing = false;  // the kernel's control flow has not ended yet
        bool blocked = false;
        BlockReason reason = BlockReason::kQueueFull;
        const Instruction* instruction = nullptr;  // the instruction that waits, if any
        uint64_t sequence = 0;
    };
    const State& state() const { return state_; }
    void end_control_flow() { state_.issuing = false; }

 private:
    // Most scalar time charged before it passes, so that a long loop without instructions does not hold up other cores.
    static constexpr Milli kMostCharged = 1000 * 1000;

    // An instruction that the control flow has produced and the scalar unit has not yet issued, and the cycles since
    // the previous one. Without an entry: only the cycles.
    struct RunAhead {
        PipeUnit::Entry* entry = nullptr;
        PipeUnit* unit = nullptr;
        Cycle delay = 0;
    };

    static constexpr size_t kMostAhead = 32;  // instructions

    void push(const RunAhead& next) {
        run_ahead_[run_ahead_count_++] = next;
        if (run_ahead_count_ >= most_ahead_) catch_up();
    }
    // Records a location of the control flow.
    void note(SourceLocation where) { recent_[recent_count_++ % recent_.size()] = where; }
    void look();
    void act();
    bool has_block();
    void await_block();
    bool issue_run_ahead();

    CoreContext& core_;
    Pipes& pipes_;
    LaunchWatch* watch_;
    Actor actor_ = Actor::of<&ScalarUnit::act>(this);
    Process process_;
    Event timer_;
    Event called_;
    std::array<RunAhead, kMostAhead> run_ahead_;
    size_t run_ahead_count_ = 0;
    size_t next_ = 0;            // first element of run_ahead_ that has not been issued
    bool delay_passed_ = false;  // of the element at next_
    bool catching_up_ = false;   // the process waits until the actor has issued them all
    bool awaits_block_ = true;   // the process waits for a block
    Event* assigned_ = nullptr;  // the event of its next block, if it takes part in the launch
    size_t most_ahead_ = 1;
    State state_;
    uint64_t next_sequence_ = 0;
    Milli charged_ = 0;                        // scalar time that has not passed yet
    std::array<SourceLocation, 64> recent_{};  // recent locations of the control flow
    size_t recent_count_ = 0;
};

}  // namespace ptosim
