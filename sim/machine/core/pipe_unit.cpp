#include "sim/machine/core/pipe_unit.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "isa/core/arch.h"
#include "sim/machine/core/control.h"
#include "sim/machine/core/pipes.h"

namespace ptosim {

PipeUnit::PipeUnit(Pipes& pipes, Pipe pipe, unsigned depth)
    : pipes_{pipes},
      core_{pipes.core()},
      sync_{pipes.sync()},
      data_{pipes.data()},
      pipe_{pipe},
      depth_{depth},
      ring_(std::bit_ceil(2 * size_t{depth})),
      pushed_{core_.lane},
      left_queue_{core_.lane},
      retired_{core_.lane},
      timer_{core_.lane},
      transferred_{core_.lane},
      retire_{core_.lane, retirer_} {
    wait(pushed_);
}

void PipeUnit::push(Entry& entry) {
    ring_slot(tail_++) = &entry;
    pushed_.notify();
}

uint64_t PipeUnit::last_global() const {
    for (uint64_t i = tail_; i > head_; --i)
        for (const Access& access : accesses(*entry(i - 1).instruction))
            if (access.global) return i;
    return 0;
}

uint64_t PipeUnit::last_conflict(std::span<const Access> mine) const {
    for (uint64_t i = tail_; i > head_; --i)
        for (const Access& theirs : accesses(*entry(i - 1).instruction))
            for (const Access& access : mine)
                if (conflict(access, theirs)) return i;
    return 0;
}

// ---- waiting ------------------------------------------------------------------------------

void PipeUnit::wait_cycles(Cycle count) {
    timer_.notify(count);
    wait(timer_);
}

void PipeUnit::block(const Entry& entry, BlockReason reason, Event& until) {
    hold(reason == BlockReason::kBarrier ? Hold::kBarrier : Hold::kOther);
    if (!blocked_.active) {
        blocked_ = {true, reason, core_.now()};
        core_.tell_block(pipe_, reason, entry.instruction, entry.sequence);
    }
    wait(until);
}

void PipeUnit::unblock(const Entry& entry, const BlockEvent& released) {
    blocked_.active = false;
    BlockEvent event = released;
    event.reason = blocked_.reason;
    core_.tell_unblock(pipe_, event, entry.instruction, entry.sequence);
}

// The number of entries in flight is bounded by the depth of the queue.
bool PipeUnit::waits_for_in_flight_limit(Entry& entry) {
    if (start_ - head_ >= depth_) {
        block(entry, BlockReason::kInFlight, retired_);
        return true;
    }
    unblock(entry);
    return false;
}

bool PipeUnit::waits_for_dependences(Entry& entry) {
    for (unsigned p = 0; p < kPipeCount; ++p) {
        PipeUnit* const other = pipes_[p];
        if (other == nullptr || other->completed() >= entry.after[p]) continue;
        released_ = released_by(core_.id, other->pipe(), other->entry(entry.after[p] - 1).sequence);
        block(entry, BlockReason::kData, other->retired());
        return true;
    }
    unblock_by(entry, [this] { return released_; });
    return false;
}

bool PipeUnit::waits_for_synchronisation(Entry& entry) {
    switch (entry.form) {
        case Form::kSetFlag:
        case Form::kBufferToken:
            return false;
        case Form::kWaitFlag:
            return !core_.auto_sync && waits_for_flag(entry);
        case Form::kData:
            if (!uses_unit_flags(entry)) return false;
            return pipe_ == Pipe::kM ? waits_for_readers_of_l0c(entry) : waits_for_units(entry);
        case Form::kOtherControl:
            break;
    }
    if (is_cross_wait(entry.instruction->opcode)) return waits_for_signal(entry);
    return entry.instruction->opcode == Opcode::kPIPE_BARRIER && waits_for_drained(entry);
}

bool PipeUnit::waits_for_flag(Entry& entry) {
    const FlagFile::Flag& flag = sync_.flags.of(*entry.instruction);
    if (!flag.set) {
        block(entry, BlockReason::kFlag,
              sync_.flags.arrived(entry.instruction->attributes.destination_pipe));
        return true;
    }
    unblock_by(entry, [&] {
        return released_by(core_.id, entry.instruction->attributes.source_pipe, flag.sequence);
    });
    sync_.flags.take(*entry.instruction, entry.sequence);
    return false;
}

bool PipeUnit::waits_for_signal(Entry& entry) {
    const CrossCoreFlags::Flag& flag = sync_.cross_core.of(*entry.instruction);
    if (flag.count == 0) {
        block(entry, BlockReason::kCrossCore, sync_.cross_core.arrived());
        return true;
    }
    unblock_by(entry,
               [&] { return released_by(flag.last.from, flag.last.pipe, flag.last.sequence); });
    sync_.cross_core.take(*entry.instruction, entry.sequence);
    return false;
}

bool PipeUnit::waits_for_drained(Entry& entry) {
    if (head_ != start_) {
        block(entry, BlockReason::kBarrier, retired_);
        return true;
    }
    unblock(entry);
    hold(Hold::kBarrier);
    return false;
}

// ---- unit flags ---------------------------------------------------------------------------

namespace {

bool is_final(const Instruction& instruction) {
    return instruction.attributes.phase == UnitFlagPhase::kFinal;
}

// Duration of a fix pipe operation that shares nothing.
Cycle least_duration(const Cost& cost) {
    if (cost.rate == 0) return cost.occupancy;
    return std::max(cost.occupancy, (cost.fixed + cost.bytes * 1000 * 1000 / cost.rate) / 1000);
}

}  // namespace

bool PipeUnit::uses_unit_flags(const Entry& entry) const {
    return entry.instruction->attributes.phase != UnitFlagPhase::kUnspecified &&
           (pipe_ == Pipe::kM || pipe_ == Pipe::kFIX) && !core_.auto_sync;
}

// M waits until FIX has begun to read the units that M overwrites.
bool PipeUnit::waits_for_readers_of_l0c(Entry& entry) {
    UnitFlags& flags = sync_.units;
    const UnitRange range = unit_range(*entry.instruction);
    if (flags.unread(range) != nullptr) {
        block(entry, BlockReason::kData, flags.changed());
        return true;
    }
    const UnitFlags::Product* product = flags.being_read(range, entry.sequence);
    unblock_by(entry, [&] {
        return released_by(core_.id, Pipe::kFIX, product != nullptr ? product->reader : 0);
    });
    return false;
}

// FIX waits until the units will be written as fast as it reads them.
bool PipeUnit::waits_for_units(Entry& entry) {
    UnitFlags& flags = sync_.units;
    const UnitFlags::Product* product = flags.unread(unit_range(*entry.instruction));
    if (product == nullptr) {
        block(entry, BlockReason::kData, flags.changed());
        return true;
    }
    const Cycle now = core_.now();
    const Cycle least = least_duration(*entry.cost);
    const Cycle from =
        std::max(product->first, product->last > least ? product->last - least : Cycle{0});
    if (from > now) {
        timer_.notify(from - now);
        block(entry, BlockReason::kData, timer_);
        return true;
    }
    unblock_by(entry, [&] { return released_by(core_.id, Pipe::kM, product->sequence); });
    return false;
}

// Sets the units of a product, or begins to read them.
void PipeUnit::begin_units(const Entry& entry) {
    if (!is_final(*entry.instruction)) return;
    UnitFlags& flags = sync_.units;
    const UnitRange range = unit_range(*entry.instruction);
    if (pipe_ == Pipe::kFIX) return flags.begin_reading(range, entry.sequence);
    const Cycle last = entry.started + entry.cost->occupancy + extra_;
    const Cycle all_but_one = entry.cost->occupancy - entry.cost->occupancy / range.units();
    flags.begin(range, entry.sequence, entry.instruction->location, last - all_but_one, last);
}

// If M runs into units that FIX has not read yet, it ends one unit after FIX has read them. If FIX has read units of a
// product that M has not finished, it ends one unit after M.
bool PipeUnit::waits_for_partner(const Entry& entry) {
    UnitFlags& flags = sync_.units;
    const UnitRange range = unit_range(*entry.instruction);
    Cycle produced = 0;
    const bool early = pipe_ == Pipe::kM
                           ? flags.being_read(range, entry.sequence) != nullptr
                           : !flags.ended(range, is_final(*entry.instruction), produced);
    if (early) {
        waited_for_partner_ = true;
        wait(flags.changed());
        return true;
    }
    if (!waited_for_partner_) return false;
    waited_for_partner_ = false;
    wait_cycles(std::max<Cycle>(1, entry.cost->occupancy / range.units()));
    return true;
}

// Determines when the data of an entry that has just ended takes effect.
void PipeUnit::end_units(Entry& entry) {
    UnitFlags& flags = sync_.units;
    const UnitRange range = unit_range(*entry.instruction);
    if (pipe_ == Pipe::kM) {
        entry.complete = flags.end(range, entry.sequence, entry.complete);
        return;
    }
    Cycle produced = 0;
    flags.ended(range, is_final(*entry.instruction), produced);
    entry.complete = std::max(entry.complete, produced + 1);
    if (is_final(*entry.instruction)) flags.end_reading(range, entry.complete);
}

// ---- working ------------------------------------------------------------------------------

void PipeUnit::work() {
    while (start_ != tail_)
        if (!advance(*ring_slot(start_))) return;
    hold(Hold::kOther);
    wait(pushed_);
}

// False if the entry has to wait; the next call goes on from there.
bool PipeUnit::advance(Entry& entry) {
    switch (stage_) {
        case Stage::kInFlightLimit:
            if (waits_for_in_flight_limit(entry)) return false;
            stage_ = Stage::kDependences;
            [[fallthrough]];
        case Stage::kDependences:
            if ((core_.auto_sync || entry.form == Form::kBufferToken) &&
                waits_for_dependences(entry))
                return false;
            stage_ = Stage::kSynchronisation;
            [[fallthrough]];
        case Stage::kSynchronisation:
            if (waits_for_synchronisation(entry)) return false;
            start(entry);
            if (entry.form == Form::kData) {
                occupy(entry);
                return false;
            }
            entry.pipe_free = entry.started;
            entry.complete = std::max(last_complete_, entry.started);
            break;
        case Stage::kComputing:
            if (uses_unit_flags(entry) && waits_for_partner(entry)) return false;
            entry.pipe_free = core_.now();
            extra_ = entry.pipe_free - entry.started - entry.cost->occupancy;
            entry.complete = std::max(entry.started + entry.cost->latency + extra_, last_complete_);
            if (uses_unit_flags(entry)) end_units(entry);
            hold_ = Hold::kNothing;
            break;
        case Stage::kTransferring: {
            transfer_end_ = core_.now();
            if (writes_l1()) pipes_.set_l1_written(false);
            const Cycle busy = transfer_end_ - entry.started;
            stage_ = Stage::kLeastOccupancy;
            if (busy < entry.cost->occupancy) {
                wait_cycles(entry.cost->occupancy - busy);
                return false;
            }
            [[fallthrough]];
        }
        case Stage::kLeastOccupancy:
            if (uses_unit_flags(entry) && waits_for_partner(entry)) return false;
            end_transfer(entry);
            if (uses_unit_flags(entry)) end_units(entry);
            break;
    }
    leave_queue(entry);
    return true;
}

void PipeUnit::start(Entry& entry) {
    entry.time = entry.started = core_.now();
    if (entry.form == Form::kData) entry.transfer = {};
    entry.l2_hit_bytes = entry.l2_miss_bytes = entry.l2_again_bytes = 0;
    core_.observers.start(entry);
}

bool PipeUnit::writes_l1() const { return pipe_ == Pipe::kMTE2 && core_.id.type == CoreType::kAIC; }

// Holds the pipe for as long as the instruction uses it.
void PipeUnit::occupy(Entry& entry) {
    const Cost& cost = *entry.cost;
    const Hold most = cost.runs_through_barriers ? Hold::kBarrier : Hold::kNothing;
    extra_ = hold_ <= most ? 0 : cost.fill;
    if (pipes_.l1_written() && cost.leaves_l1) {
        core_.read.note(core_.model.aic.l1.contention);
        extra_ += cost.contended;
    }
    if (uses_unit_flags(entry)) begin_units(entry);
    if (cost.shared == Cost::Shared::kNone) {
        stage_ = Stage::kComputing;
        return wait_cycles(cost.occupancy + extra_);
    }
    core_.environment.start_transfer({core_.id, pipe_, core_.cluster}, cost, *entry.instruction,
                                     transferred_, entry.transfer);
    if (writes_l1()) pipes_.set_l1_written(true);
    stage_ = Stage::kTransferring;
    wait(transferred_);
}

void PipeUnit::end_transfer(Entry& entry) {
    entry.pipe_free = core_.now();
    entry.l2_hit_bytes = entry.transfer.hit_bytes;
    entry.l2_miss_bytes = entry.transfer.miss_bytes;
    entry.l2_again_bytes = entry.transfer.again_bytes;
    const Cycle arrived = std::max(transfer_end_, entry.started + entry.transfer.least);
    entry.complete = std::max(
        {arrived + entry.cost->latency + entry.transfer.behind, entry.pipe_free, last_complete_});
    if (entry.transfer.store != 0)
        data_.send(*entry.instruction, entry.transfer.store, entry.cost->latency, retire_);
}

void PipeUnit::leave_queue(Entry& entry) {
    last_complete_ = entry.complete;
    stage_ = Stage::kInFlightLimit;
    ++start_;
    left_queue_.notify();
    if (start_ - head_ == 1)  // nothing earlier is in flight, so no timer runs for the retiring actor
        retire_.notify(entry.complete - core_.now());
}

// Applies the effect of the entry: flags, signals and data.
void PipeUnit::complete(const Entry& entry) {
    switch (entry.form) {
        case Form::kSetFlag:
            return sync_.flags.set(*entry.instruction, entry.sequence);
        case Form::kData:
            if (entry.transfer.store == 0) data_.execute(*entry.instruction, entry.sequence);
            return;
        case Form::kOtherControl:
            if (is_cross_set(entry.instruction->opcode))
                core_.environment.cross_set(core_.id, *entry.instruction, entry.sequence);
            return;
        case Form::kWaitFlag:
        case Form::kBufferToken:
            return;
    }
}

// In a pipe that does not work in order, the next instruction, which is in flight as well, may write its data before
// the oldest one.
void PipeUnit::let_overtake() {
    if (works_in_order(pipe_, core_.arch) || core_.auto_sync || start_ - head_ < 2) return;
    Entry*& older = ring_slot(head_);
    Entry*& younger = ring_slot(head_ + 1);
    if (older->form != Form::kData || younger->form != Form::kData) return;
    if (older->complete > core_.now() || !core_.schedule->overtakes()) return;
    std::swap(older->complete, younger->complete);
    std::swap(older, younger);
}

void PipeUnit::retire() {
    const Cycle now = core_.now();
    bool any = false;
    while (head_ < start_) {
        if (core_.schedule != nullptr) let_overtake();
        Entry& entry = *ring_slot(head_);
        if (entry.complete > now) {
            retire_.notify(entry.complete - now);
            break;
        }
        if (entry.form == Form::kData && entry.transfer.store != 0 &&
            core_.environment.remote()->under_way(entry.transfer.store))
            break;
        if (entry.form == Form::kSetFlag && sync_.flags.set_in_this_cycle(*entry.instruction)) {
            entry.complete = now + 1;
            retire_.notify(1);
            break;
        }
        complete(entry);
        entry.time = now;
        core_.observers.complete(entry, entry.form != Form::kData);
        ++head_;
        pipes_.recycle(entry);
        any = true;
    }
    if (any) retired_.notify();
}

}  // namespace ptosim
