#include "sim/core/pipe_unit.h"

#include <algorithm>

#include "sim/core/core.h"
#include "sim/timing/clock.h"

namespace ptosim {

using sc_core::SC_ZERO_TIME;

PipeUnit::PipeUnit(sc_core::sc_module_name name, Core& core, Pipe pipe, unsigned depth)
    : sc_module(name), core_{core}, pipe_{pipe}, depth_{depth}, ring_(2 * depth) {
    SC_HAS_PROCESS(PipeUnit);
    SC_THREAD(run);
    SC_METHOD(retire);
    sensitive << retire_;
    dont_initialize();
}

void PipeUnit::push() {
    ++tail_;
    pushed_.notify();
}

InstructionEvent PipeUnit::event(const Entry& entry, Cycle time) const {
    return {core_.id(), pipe_,        entry.sequence, &entry.instruction,
            time,       entry.issued, entry.started,  entry.pipe_free};
}

void PipeUnit::block(const Entry& entry, BlockReason reason) {
    runs_on_ = false;
    blocked_ = {true, reason, now_cycle()};
    core_.tell_block(pipe_, reason, &entry.instruction, entry.sequence);
}

void PipeUnit::unblock(const Entry& entry, BlockEvent released) {
    blocked_.active = false;
    released.reason = blocked_.reason;
    core_.tell_unblock(pipe_, released, &entry.instruction, entry.sequence);
}

void PipeUnit::run() {
    for (;;) {
        while (start_ == tail_) {
            runs_on_ = false;
            pushed_.wait();
        }
        Entry& entry = ring_[start_ % ring_.size()];
        // What is in flight is bounded too: half of the ring is for it.
        if (start_ - head_ >= depth_) {
            block(entry, BlockReason::kInFlight);
            while (start_ - head_ >= depth_) retired_.wait();
            unblock(entry);
        }

        if (core_.auto_sync()) wait_for_data(entry);
        const Opcode opcode = entry.instruction.opcode;
        if (opcode == Opcode::kWAIT_FLAG && !core_.auto_sync()) wait_for_flag(entry);
        if (opcode == Opcode::kCROSS_WAIT || opcode == Opcode::kINTRA_WAIT) wait_for_signal(entry);
        if (opcode == Opcode::kPIPE_BARRIER) {
            wait_until_drained(entry);
            runs_on_ = false;
        }

        entry.started = now_cycle();
        const ObserverList& observers = core_.observers();
        if (!observers.empty()) observers.tell(&Observer::on_start, event(entry, entry.started));
        if (info(opcode).timing == TimingClass::kFlag) {
            entry.pipe_free = entry.started;
            entry.complete = std::max(last_complete_, entry.started);
        } else {
            occupy(entry);
            runs_on_ = true;
        }
        last_complete_ = entry.complete;
        ++start_;
        left_queue_.notify();
        if (start_ - head_ == 1) {  // nothing earlier is in flight: the retire process sleeps
            if (entry.complete == now_cycle())
                retire_.notify(SC_ZERO_TIME);
            else
                retire_.notify(cycles(entry.complete - now_cycle()));
        }
    }
}

// Holds the pipe while the instruction uses it, and sets when its result is there.
void PipeUnit::occupy(Entry& entry) {
    const Cost& cost = entry.cost;
    if (cost.shared == Cost::Shared::kNone) {
        const Cycle more = (core_.l1_written() ? cost.contended : 0) + (runs_on_ ? 0 : cost.fill);
        wait(cycles(cost.occupancy + more));
        entry.pipe_free = now_cycle();
        entry.complete = std::max(entry.started + cost.latency + more, last_complete_);
        return;
    }
    const bool writes_l1 = pipe_ == Pipe::kMTE2 && core_.id().type == CoreType::kAIC;
    const Cycle behind = core_.start_transfer(entry, transferred_);
    if (writes_l1) core_.set_l1_written(true);
    wait(transferred_);
    if (writes_l1) core_.set_l1_written(false);
    const Cycle end = now_cycle();
    const Cycle busy = end - entry.started;
    if (busy < cost.occupancy) wait(cycles(cost.occupancy - busy));
    entry.pipe_free = now_cycle();
    entry.complete = std::max({end + cost.latency + behind, entry.pipe_free, last_complete_});
}

void PipeUnit::wait_for_flag(Entry& entry) {
    const Attributes& a = entry.instruction.attributes;
    FlagFile::Flag& flag = core_.flags().at(a.source_pipe, a.destination_pipe, a.event_id);
    if (!flag.set) {
        block(entry, BlockReason::kFlag);
        while (!flag.set) core_.flags().arrived(a.destination_pipe).wait();
        BlockEvent released;
        released.released_by = flag.sequence;
        released.released_pipe = a.source_pipe;
        released.released_core = core_.id();
        unblock(entry, released);
    }
    core_.consume_flag(entry.instruction, entry.sequence);
}

void PipeUnit::wait_for_signal(Entry& entry) {
    const Core::CrossFlag& flag = core_.cross_flag(entry.instruction);
    if (flag.count == 0) {
        block(entry, BlockReason::kCrossCore);
        while (flag.count == 0) wait(core_.cross_arrived());
        BlockEvent released;
        released.released_by = flag.sequence;
        released.released_pipe = flag.pipe;
        released.released_core = flag.from;
        unblock(entry, released);
    }
    core_.consume_cross(entry.instruction, entry.sequence);
}

void PipeUnit::wait_until_drained(Entry& entry) {
    if (head_ == start_) return;
    block(entry, BlockReason::kBarrier);
    while (head_ != start_) retired_.wait();
    unblock(entry);
}

void PipeUnit::wait_for_data(Entry& entry) {
    bool blocked = false;
    BlockEvent released;
    for (unsigned p = 0; p < kPipeCount; ++p) {
        PipeUnit* other = core_.pipe(static_cast<Pipe>(p));
        if (other == nullptr) continue;
        while (other->completed() < entry.after[p]) {
            if (!blocked) block(entry, BlockReason::kData);
            blocked = true;
            released.released_by = other->entry(entry.after[p] - 1).sequence;
            released.released_pipe = static_cast<Pipe>(p);
            released.released_core = core_.id();
            other->retired().wait();
        }
    }
    if (blocked) unblock(entry, released);
}

void PipeUnit::retire() {
    const Cycle now = now_cycle();
    bool any = false;
    while (head_ < start_) {
        Entry& entry = ring_[head_ % ring_.size()];
        if (entry.complete > now) {
            retire_.notify(cycles(entry.complete - now));
            break;
        }
        core_.complete(entry.instruction, entry.sequence);
        const ObserverList& observers = core_.observers();
        if (!observers.empty()) observers.tell(&Observer::on_complete, event(entry, now));
        ++head_;
        any = true;
    }
    if (any) retired_.notify();
}

}  // namespace ptosim
