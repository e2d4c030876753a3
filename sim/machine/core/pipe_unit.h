// One asynchronous pipe of a core: a queue of bounded depth, processed in order. One actor starts entries, a second one
// retires them.
//
// An entry has three states: waiting in the queue, in flight (the pipe works on it, or has gone on while its result is
// under way), and complete. Its data takes effect when it completes, in the order of the queue.
#pragma once

#include <span>
#include <vector>

#include "isa/core/instruction.h"
#include "isa/table/access.h"
#include "sim/machine/core/control.h"
#include "sim/machine/core/pipe_counts.h"
#include "sim/machine/event/event_queue.h"
#include "sim/machine/memory/transfer.h"
#include "sim/machine/observe/observer.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {

struct CoreContext;
struct SyncState;
class DataPath;
class Pipes;

class PipeUnit {
 public:
    // An instruction and what observers get of it. Instruction and cost belong to the entry, or to
    // a KnownInstruction.
    struct alignas(64) Entry : InstructionEvent {
        Cycle complete = 0;
        const Cost* cost = nullptr;
        Form form = Form::kData;
        Transfer transfer;
        PipeCounts after{};  // --sync auto and buffer ids: entries that must be complete before this one starts
        Cost own_cost;
        Instruction own;  // its operands come last
    };

    // The reason for which the pipe is blocked.
    struct Blocked {
        bool active = false;
        BlockReason reason = BlockReason::kFlag;
        Cycle since = 0;
    };

    PipeUnit(Pipes& pipes, Pipe pipe, unsigned depth);

    // Interface of the producer: entries belong to Pipes and return to it after they have completed.
    bool full() const { return tail_ - start_ >= depth_; }
    void push(Entry& entry);

    Pipe pipe() const { return pipe_; }
    bool drained() const { return head_ == tail_; }
    uint64_t pushed() const { return tail_; }
    uint64_t completed() const { return head_; }
    // Entries from the oldest that has not completed to the newest.
    uint64_t first() const { return head_; }
    const Entry& entry(uint64_t index) const { return *ring_[index & ring_mask_]; }
    // One past the newest incomplete entry that touches global memory; 0 if there is none.
    uint64_t last_global() const;
    // One past the newest incomplete entry that conflicts with one of these accesses; 0 if there is none. One number is
    // enough because pipes complete in order.
    uint64_t last_conflict(std::span<const Access> accesses) const;
    // The next entry to start; null if there is none.
    const Entry* front() const { return start_ == tail_ ? nullptr : &entry(start_); }
    const Blocked& blocked() const { return blocked_; }
    // Index of the next entry to start; true if the pipe works on it already.
    uint64_t next_to_start() const { return start_; }
    bool works() const { return front() != nullptr && stage_ >= Stage::kComputing; }

    Wakeup& left_queue() { return left_queue_; }
    Wakeup& retired() { return retired_; }

 private:
    // Stage of the entry that starts next or holds the pipe, named after its wait.
    enum class Stage : uint8_t {
        kInFlightLimit,    // until fewer entries are in flight
        kDependences,      // --sync auto, buffer ids: for earlier entries
        kSynchronisation,  // for its flag, signal or barrier, or unit flags
        kComputing,        // for the end of its occupancy
        kTransferring,     // for the end of its transfer
        kLeastOccupancy,   // for the end of its least occupancy, if the transfer was shorter
    };

    void work();
    bool advance(Entry& entry);
    void retire();
    void let_overtake();
    void complete(const Entry& entry);
    // These return true if the entry has to wait.
    bool waits_for_in_flight_limit(Entry& entry);
    bool waits_for_dependences(Entry& entry);
    bool waits_for_synchronisation(Entry& entry);
    bool waits_for_flag(Entry& entry);
    bool waits_for_signal(Entry& entry);
    bool waits_for_drained(Entry& entry);
    // Unit flags, with which M and FIX follow each other. The waits_for_ functions return true if the entry has to
    // wait.
    bool uses_unit_flags(const Entry& entry) const;
    bool waits_for_readers_of_l0c(Entry& entry);
    bool waits_for_units(Entry& entry);
    bool waits_for_partner(const Entry& entry);
    void begin_units(const Entry& entry);
    void end_units(Entry& entry);
    void start(Entry& entry);
    void occupy(Entry& entry);
    void end_transfer(Entry& entry);
    void leave_queue(Entry& entry);
    void wait(Event& event) { event.await(worker_); }
    void wait(Wakeup& wakeup) { wakeup.await(worker_); }
    void wait_cycles(Cycle count);
    // The strongest reason that has held the pipe up since its last instruction.
    enum class Hold : uint8_t { kNothing, kBarrier, kOther };
    void hold(Hold by) { hold_ = std::max(hold_, by); }
    void block(const Entry& entry, BlockReason reason, Event& until);
    void block(const Entry& entry, BlockReason reason, Wakeup& until) {
        block(entry, reason, until.event());
    }
    void unblock(const Entry& entry, const BlockEvent& released);
    // If the pipe is blocked: `by` returns what has released it.
    template <class By>
    void unblock_by(const Entry& entry, const By& by) {
        if (blocked_.active) [[unlikely]]
            unblock(entry, by());
    }
    void unblock(const Entry& entry) {
        unblock_by(entry, [] { return BlockEvent{}; });
    }
    bool writes_l1() const;
    Entry*& ring_slot(uint64_t index) { return ring_[index & ring_mask_]; }

    Pipes& pipes_;
    CoreContext& core_;
    SyncState& sync_;
    DataPath& data_;
    Pipe pipe_;
    unsigned depth_;
    std::vector<Entry*> ring_;  // size is a power of two: entries in flight and in the queue
    uint64_t ring_mask_ = ring_.size() - 1;
    uint64_t head_ = 0;         // oldest incomplete entry
    uint64_t start_ = 0;        // oldest entry that has not started
    uint64_t tail_ = 0;         // one past the newest
    Cycle last_complete_ = 0;
    Stage stage_ = Stage::kInFlightLimit;
    Cycle extra_ = 0;            // cycles for which the entry holds the pipe beyond its occupancy
    Hold hold_ = Hold::kOther;
    Cycle transfer_end_ = 0;
    bool waited_for_partner_ = false;  // M or FIX has waited at its end for the other
    Blocked blocked_;
    BlockEvent released_;
    Actor worker_ = Actor::of<&PipeUnit::work>(this);
    Actor retirer_ = Actor::of<&PipeUnit::retire>(this, Actor::Kind::kUrgent);
    Wakeup pushed_;
    Wakeup left_queue_;
    Wakeup retired_;
    Event timer_;
    Event transferred_;
    Event retire_;
};

}  // namespace ptosim
