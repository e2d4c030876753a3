#include "sim/machine/core/pipes.h"

#include "isa/core/arch.h"
#include "sim/machine/core/control.h"

namespace ptosim {

Pipes::Pipes(CoreContext& core, SyncState& sync, DataPath& data)
    : core_{core}, sync_{sync}, data_{data} {
    for (unsigned p = 0; p < kPipeCount; ++p) {
        const Pipe pipe = static_cast<Pipe>(p);
        if (pipe == Pipe::kS || !has_pipe(core.id.type, pipe)) continue;
        units_[p] =
            std::make_unique<PipeUnit>(*this, pipe, static_cast<unsigned>(core.model.queue.depth));
    }
}

void Pipes::add_entry() {
    entries_.push_back(std::make_unique<PipeUnit::Entry>());
    entries_.back()->core = core_.id;
    spare_.push_back(entries_.back().get());
}

void Pipes::issue(PipeUnit& unit, PipeUnit::Entry& entry) {
    entry.time = entry.issued = core_.now();
    entry.started = entry.pipe_free = 0;
    entry.pipe = unit.pipe();
    if (core_.auto_sync)
        find_dependences(entry, unit.pipe());
    else if (entry.form == Form::kBufferToken)
        sync_.buffers.pass(*entry.instruction, unit.pushed() + 1, entry.after);
    core_.observers.issue(entry);
    unit.push(entry);
}

// In --sync auto an instruction starts after every earlier one whose bytes conflict with its own. A pipe that works in
// order follows its own instructions anyway.
void Pipes::find_dependences(PipeUnit::Entry& entry, Pipe own) const {
    const Instruction& instruction = *entry.instruction;
    entry.after.fill(0);
    // A signal makes everything before it visible to other cores: only global memory, if cores share nothing else.
    if (is_cross_set(instruction.opcode)) {
        for (unsigned p = 0; p < kPipeCount; ++p)
            if (units_[p])
                entry.after[p] = traits_of(core_.arch).reaches_other_cores
                                     ? units_[p]->pushed()
                                     : units_[p]->last_global();
        entry.after[static_cast<size_t>(own)] = 0;  // it works in order
        return;
    }
    const AccessList mine = accesses(instruction);
    for (unsigned p = 0; p < kPipeCount; ++p) {
        const PipeUnit* unit = units_[p].get();
        if (unit == nullptr || (static_cast<Pipe>(p) == own && works_in_order(own, core_.arch)))
            continue;
        // Because pipes complete in order, the newest conflict is enough.
        entry.after[p] = unit->last_conflict({mine.begin(), mine.end()});
    }
}

PipeCounts Pipes::pushed() const {
    PipeCounts counts{};
    for (unsigned p = 0; p < kPipeCount; ++p)
        if (units_[p]) counts[p] = units_[p]->pushed();
    return counts;
}

PipeCounts Pipes::pushed(std::span<const Pipe> pipes) const {
    PipeCounts counts{};
    for (const Pipe pipe : pipes)
        if (const PipeUnit* unit = (*this)[pipe]; unit != nullptr)
            counts[static_cast<size_t>(pipe)] = unit->pushed();
    return counts;
}

PipeCounts Pipes::conflicts(const Access& access) const {
    PipeCounts counts{};
    for (unsigned p = 0; p < kPipeCount; ++p)
        if (units_[p]) counts[p] = units_[p]->last_conflict({&access, 1});
    return counts;
}

}  // namespace ptosim
