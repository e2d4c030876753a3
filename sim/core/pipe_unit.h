// One asynchronous pipe of a core: a queue of bounded depth, worked off in order.
//
// An entry goes through three stages: waiting in the queue, in flight (the pipe works on it, or
// has gone on while its result is still under way), and complete. Its data takes effect when it
// completes, in the order of the queue.
#pragma once

#include <array>
#include <systemc>
#include <vector>

#include "isa/instruction.h"
#include "sim/core/observer.h"
#include "sim/core/wakeup.h"
#include "sim/timing/cost.h"

namespace ptosim {

class Core;

class PipeUnit : public sc_core::sc_module {
 public:
    // What every entry needs comes first, so that short instructions touch few cache lines.
    struct alignas(64) Entry {
        uint64_t sequence = 0;
        Cycle issued = 0;
        Cycle started = 0;
        Cycle pipe_free = 0;
        Cycle complete = 0;
        Cost cost;
        Instruction instruction;
        // --sync auto: how many entries each pipe must have completed before this one starts.
        std::array<uint64_t, kPipeCount> after{};
    };

    // What the pipe stands still for.
    struct Blocked {
        bool active = false;
        BlockReason reason = BlockReason::kFlag;
        Cycle since = 0;
    };

    PipeUnit(sc_core::sc_module_name name, Core& core, Pipe pipe, unsigned depth);

    // The producer's side: fill slot() while not full(), then push().
    bool full() const { return tail_ - start_ >= depth_; }
    Entry& slot() { return ring_[tail_ % ring_.size()]; }
    void push();

    Pipe pipe() const { return pipe_; }
    bool drained() const { return head_ == tail_; }
    uint64_t pushed() const { return tail_; }
    uint64_t completed() const { return head_; }
    // Entries from the oldest that has not completed to the newest.
    uint64_t first() const { return head_; }
    const Entry& entry(uint64_t index) const { return ring_[index % ring_.size()]; }
    // The entry that is to start next, if there is one.
    const Entry* front() const { return start_ == tail_ ? nullptr : &entry(start_); }
    const Blocked& blocked() const { return blocked_; }

    Wakeup& left_queue() { return left_queue_; }
    Wakeup& retired() { return retired_; }

 private:
    void run();
    void retire();
    void wait_for_flag(Entry& entry);
    void wait_for_signal(Entry& entry);
    void wait_until_drained(Entry& entry);
    void wait_for_data(Entry& entry);
    void occupy(Entry& entry);
    void block(const Entry& entry, BlockReason reason);
    void unblock(const Entry& entry, BlockEvent released = {});
    InstructionEvent event(const Entry& entry, Cycle time) const;

    Core& core_;
    Pipe pipe_;
    unsigned depth_;
    std::vector<Entry> ring_;
    uint64_t head_ = 0;   // oldest that has not completed
    uint64_t start_ = 0;  // oldest that has not started
    uint64_t tail_ = 0;   // one past the newest
    Cycle last_complete_ = 0;
    bool runs_on_ = false;  // nothing has held the pipe up since its last instruction
    Blocked blocked_;
    Wakeup pushed_;
    Wakeup left_queue_;
    Wakeup retired_;
    sc_core::sc_event retire_;
    sc_core::sc_event transferred_;
};

}  // namespace ptosim
