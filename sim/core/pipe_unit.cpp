#include "sim/core/pipe_unit.h"

#include <algorithm>
#include <bit>

#include "sim/core/control.h"
#include "sim/core/core.h"

namespace ptosim {

PipeUnit::PipeUnit(Core& core, Pipe pipe, unsigned depth)
    : core_{core},
      pipe_{pipe},
      depth_{depth},
      ring_(std::bit_ceil(2 * size_t{depth})),
      pushed_{core.event_queue()},
      left_queue_{core.event_queue()},
      retired_{core.event_queue()},
      timer_{core.event_queue()},
      transferred_{core.event_queue()},
      retire_{core.event_queue(), retirer_} {
    wait(pushed_);
}

void PipeUnit::push(Entry& entry) {
    slot(tail_++) = &entry;
    pushed_.notify();
}

uint64_t PipeUnit::last_global() const {
    for (uint64_t i = tail_; i > head_; --i)
        for (const Access& access : accesses(entry(i - 1).instruction))
            if (access.global) return i;
    return 0;
}

uint64_t PipeUnit::last_conflict(std::span<const Access> mine) const {
    for (uint64_t i = tail_; i > head_; --i)
        for (const Access& theirs : accesses(entry(i - 1).instruction))
            for (const Access& access : mine)
                if (conflict(access, theirs)) return i;
    return 0;
}

InstructionEvent PipeUnit::event(const Entry& entry, Cycle time) const {
    return {core_.id(),
            pipe_,
            entry.sequence,
            &entry.instruction,
            time,
            entry.issued,
            entry.started,
            entry.pipe_free,
            entry.transfer.hit_bytes,
            entry.transfer.miss_bytes,
            entry.known};
}

// ---- waiting ------------------------------------------------------------------------------

void PipeUnit::wait_cycles(Cycle count) {
    timer_.notify(count);
    wait(timer_);
}

void PipeUnit::hold(const Entry& entry, BlockReason reason, Event& until) {
    runs_on_ = false;
    if (!blocked_.active) {
        blocked_ = {true, reason, core_.event_queue().now()};
        core_.tell_block(pipe_, reason, &entry.instruction, entry.sequence);
    }
    wait(until);
}

void PipeUnit::release(const Entry& entry, const BlockEvent& released) {
    if (!blocked_.active) return;
    blocked_.active = false;
    BlockEvent event = released;
    event.reason = blocked_.reason;
    core_.tell_unblock(pipe_, event, &entry.instruction, entry.sequence);
}

// What is in flight is bounded: as many as may wait in the queue.
bool PipeUnit::waits_for_room(Entry& entry) {
    if (start_ - head_ >= depth_) {
        hold(entry, BlockReason::kInFlight, retired_);
        return true;
    }
    release(entry);
    return false;
}

bool PipeUnit::waits_for_data(Entry& entry) {
    for (unsigned p = 0; p < kPipeCount; ++p) {
        PipeUnit* other = core_.pipe(static_cast<Pipe>(p));
        if (other == nullptr || other->completed() >= entry.after[p]) continue;
        released_.released_by = other->entry(entry.after[p] - 1).sequence;
        released_.released_pipe = static_cast<Pipe>(p);
        released_.released_core = core_.id();
        hold(entry, BlockReason::kData, other->retired());
        return true;
    }
    release(entry, released_);
    return false;
}

bool PipeUnit::waits_for_order(Entry& entry) {
    switch (entry.instruction.opcode) {
        case Opcode::kWAIT_FLAG:
            return !core_.auto_sync() && waits_for_flag(entry);
        case Opcode::kCROSS_WAIT:
        case Opcode::kINTRA_WAIT:
            return waits_for_signal(entry);
        case Opcode::kPIPE_BARRIER:
            return waits_for_drained(entry);
        default:
            if (!hands_over(entry)) return false;
            return pipe_ == Pipe::kM ? waits_for_room_in_l0c(entry) : waits_for_units(entry);
    }
}

bool PipeUnit::waits_for_flag(Entry& entry) {
    const Attributes& a = entry.instruction.attributes;
    const FlagFile::Flag& flag = core_.flags().at(a.source_pipe, a.destination_pipe, a.event_id);
    if (!flag.set) {
        hold(entry, BlockReason::kFlag, core_.flags().arrived(a.destination_pipe));
        return true;
    }
    BlockEvent released;
    released.released_by = flag.sequence;
    released.released_pipe = a.source_pipe;
    released.released_core = core_.id();
    release(entry, released);
    core_.consume_flag(entry.instruction, entry.sequence);
    return false;
}

bool PipeUnit::waits_for_signal(Entry& entry) {
    const Core::CrossFlag& flag = core_.cross_flag(entry.instruction);
    if (flag.count == 0) {
        hold(entry, BlockReason::kCrossCore, core_.cross_arrived());
        return true;
    }
    BlockEvent released;
    released.released_by = flag.sequence;
    released.released_pipe = flag.pipe;
    released.released_core = flag.from;
    release(entry, released);
    core_.consume_cross(entry.instruction, entry.sequence);
    return false;
}

bool PipeUnit::waits_for_drained(Entry& entry) {
    if (head_ != start_) {
        hold(entry, BlockReason::kBarrier, retired_);
        return true;
    }
    release(entry);
    runs_on_ = false;
    return false;
}

// ---- unit flags ---------------------------------------------------------------------------

namespace {

bool is_final(const Instruction& instruction) {
    return instruction.attributes.phase == UnitFlagPhase::kFinal;
}

// What an operation of the fix pipe takes if nothing is shared with it.
Cycle least_duration(const Cost& cost) {
    if (cost.rate == 0) return cost.occupancy;
    return std::max(cost.occupancy, (cost.fixed + cost.bytes * 1000 * 1000 / cost.rate) / 1000);
}

}  // namespace

bool PipeUnit::hands_over(const Entry& entry) const {
    return entry.instruction.attributes.phase != UnitFlagPhase::kUnspecified &&
           (pipe_ == Pipe::kM || pipe_ == Pipe::kFIX) && !core_.auto_sync();
}

// M: until the units that it writes have begun to be read.
bool PipeUnit::waits_for_room_in_l0c(Entry& entry) {
    UnitFlags& flags = core_.unit_flags();
    const UnitRange range = unit_range(entry.instruction);
    if (flags.unread(range) != nullptr) {
        hold(entry, BlockReason::kData, flags.changed());
        return true;
    }
    const UnitFlags::Product* product = flags.being_read(range, entry.sequence);
    release_by(entry, Pipe::kFIX, product != nullptr ? product->reader : 0);
    return false;
}

// FIX: until the units that it reads will be there as fast as it reads them.
bool PipeUnit::waits_for_units(Entry& entry) {
    UnitFlags& flags = core_.unit_flags();
    const UnitFlags::Product* product = flags.unread(unit_range(entry.instruction));
    if (product == nullptr) {
        hold(entry, BlockReason::kData, flags.changed());
        return true;
    }
    const Cycle now = core_.event_queue().now();
    const Cycle least = least_duration(entry.cost);
    const Cycle from =
        std::max(product->first, product->last > least ? product->last - least : Cycle{0});
    if (from > now) {
        timer_.notify(from - now);
        hold(entry, BlockReason::kData, timer_);
        return true;
    }
    release_by(entry, Pipe::kM, product->sequence);
    return false;
}

void PipeUnit::release_by(const Entry& entry, Pipe pipe, uint64_t sequence) {
    BlockEvent released;
    released.released_by = sequence;
    released.released_pipe = pipe;
    released.released_core = core_.id();
    release(entry, released);
}

// Sets the units of a product, or begins to read them.
void PipeUnit::begin_units(const Entry& entry) {
    if (!is_final(entry.instruction)) return;
    UnitFlags& flags = core_.unit_flags();
    const UnitRange range = unit_range(entry.instruction);
    if (pipe_ == Pipe::kFIX) return flags.begin_reading(range, entry.sequence);
    const Cycle last = entry.started + entry.cost.occupancy + more_;
    const Cycle all_but_one = entry.cost.occupancy - entry.cost.occupancy / range.units();
    flags.begin(range, entry.sequence, last - all_but_one, last);
}

// M runs into units that FIX has not read yet: it ends one unit after it has. FIX has read what M
// has not written to its end.
bool PipeUnit::waits_for_partner(const Entry& entry) {
    UnitFlags& flags = core_.unit_flags();
    const UnitRange range = unit_range(entry.instruction);
    Cycle produced = 0;
    const bool early = pipe_ == Pipe::kM
                           ? flags.being_read(range, entry.sequence) != nullptr
                           : !flags.ended(range, is_final(entry.instruction), produced);
    if (early) {
        paced_ = true;
        wait(flags.changed());
        return true;
    }
    if (!paced_) return false;
    paced_ = false;
    wait_cycles(std::max<Cycle>(1, entry.cost.occupancy / range.units()));
    return true;
}

// When the data of what has just ended takes effect.
void PipeUnit::end_units(Entry& entry) {
    UnitFlags& flags = core_.unit_flags();
    const UnitRange range = unit_range(entry.instruction);
    if (pipe_ == Pipe::kM) {
        entry.complete = flags.end(range, entry.sequence, entry.complete);
        return;
    }
    Cycle produced = 0;
    flags.ended(range, is_final(entry.instruction), produced);
    entry.complete = std::max(entry.complete, produced + 1);
    if (is_final(entry.instruction)) flags.end_reading(range, entry.complete);
}

// ---- working ------------------------------------------------------------------------------

void PipeUnit::work() {
    while (start_ != tail_)
        if (!advance(*slot(start_))) return;
    runs_on_ = false;
    wait(pushed_);
}

// False if the entry has to wait; the next call goes on from there.
bool PipeUnit::advance(Entry& entry) {
    switch (stage_) {
        case Stage::kRoom:
            if (waits_for_room(entry)) return false;
            stage_ = Stage::kData;
            [[fallthrough]];
        case Stage::kData:
            if ((core_.auto_sync() || is_buffer_token(entry.instruction.opcode)) &&
                waits_for_data(entry))
                return false;
            stage_ = Stage::kOrder;
            [[fallthrough]];
        case Stage::kOrder:
            if (waits_for_order(entry)) return false;
            start(entry);
            if (info(entry.instruction.opcode).timing != TimingClass::kFlag) return occupy(entry);
            entry.pipe_free = entry.started;
            entry.complete = std::max(last_complete_, entry.started);
            break;
        case Stage::kOccupied:
            if (hands_over(entry) && waits_for_partner(entry)) return false;
            entry.pipe_free = core_.event_queue().now();
            more_ = entry.pipe_free - entry.started - entry.cost.occupancy;
            entry.complete = std::max(entry.started + entry.cost.latency + more_, last_complete_);
            if (hands_over(entry)) end_units(entry);
            runs_on_ = true;
            break;
        case Stage::kTransferred: {
            ended_ = core_.event_queue().now();
            if (writes_l1()) core_.set_l1_written(false);
            const Cycle busy = ended_ - entry.started;
            stage_ = Stage::kRested;
            if (busy < entry.cost.occupancy) {
                wait_cycles(entry.cost.occupancy - busy);
                return false;
            }
            [[fallthrough]];
        }
        case Stage::kRested:
            if (hands_over(entry) && waits_for_partner(entry)) return false;
            transferred(entry);
            if (hands_over(entry)) end_units(entry);
            break;
    }
    finish(entry);
    return true;
}

void PipeUnit::start(Entry& entry) {
    entry.started = core_.event_queue().now();
    entry.transfer = {};
    const ObserverList& observers = core_.observers();
    if (!observers.nobody_follows())
        observers.tell_followers(&Observer::on_start, event(entry, entry.started));
}

bool PipeUnit::writes_l1() const {
    return pipe_ == Pipe::kMTE2 && core_.id().type == CoreType::kAIC;
}

// Holds the pipe while the instruction uses it; returns whether it is done with it.
bool PipeUnit::occupy(Entry& entry) {
    const Cost& cost = entry.cost;
    more_ = runs_on_ ? 0 : cost.fill;
    if (core_.l1_written() && cost.leaves_l1) {
        core_.note_contention();
        more_ += cost.contended;
    }
    if (hands_over(entry)) begin_units(entry);
    if (cost.shared == Cost::Shared::kNone) {
        stage_ = Stage::kOccupied;
        wait_cycles(cost.occupancy + more_);
        return false;
    }
    entry.transfer = core_.start_transfer(entry, transferred_);
    if (writes_l1()) core_.set_l1_written(true);
    stage_ = Stage::kTransferred;
    wait(transferred_);
    return false;
}

void PipeUnit::transferred(Entry& entry) {
    entry.pipe_free = core_.event_queue().now();
    entry.complete = std::max(
        {ended_ + entry.cost.latency + entry.transfer.behind, entry.pipe_free, last_complete_});
}

void PipeUnit::finish(Entry& entry) {
    last_complete_ = entry.complete;
    stage_ = Stage::kRoom;
    ++start_;
    left_queue_.notify();
    if (start_ - head_ == 1)  // nothing earlier is in flight: nobody waits to retire it
        retire_.notify(entry.complete - core_.event_queue().now());
}

void PipeUnit::retire() {
    const Cycle now = core_.event_queue().now();
    bool any = false;
    while (head_ < start_) {
        Entry& entry = *slot(head_);
        if (entry.complete > now) {
            retire_.notify(entry.complete - now);
            break;
        }
        if (core_.set_in_this_cycle(entry.instruction)) {
            entry.complete = now + 1;
            retire_.notify(1);
            break;
        }
        core_.complete(entry.instruction, entry.sequence);
        const ObserverList& observers = core_.observers();
        if (!observers.empty()) observers.tell(&Observer::on_complete, event(entry, now));
        ++head_;
        core_.give_back(&entry);
        any = true;
    }
    if (any) retired_.notify();
}

}  // namespace ptosim
