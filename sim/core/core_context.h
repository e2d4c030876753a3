// What every part of a core needs: which core it is, the chip around it, and how this launch runs.
#pragma once

#include <string>

#include "sim/core/environment.h"

namespace ptosim {

struct CoreContext {
    CoreContext(CoreId id, CoreEnvironment& environment);

    const CoreId id;
    const unsigned cluster;
    CoreEnvironment& environment;
    EventQueue& event_queue;
    const ChipModel& model;
    const Arch arch;
    const ObserverList& observers;
    ParametersRead& read;  // parameters that times rest on so far
    // Of the launch; set when a block begins.
    RunMode mode = RunMode::kFull;
    bool auto_sync = false;
    Schedule* schedule = nullptr;  // null: the chip's own timing

    Cycle now() const { return event_queue.now(); }
    bool keeps_time() const { return mode != RunMode::kFunctional; }
    bool computes_data() const { return mode != RunMode::kTiming; }

    // A diagnostic of this core at this cycle.
    Diagnostic diagnostic(std::string code, Category category, std::string message,
                          SourceLocation where) const;
    // Reports an access beyond an allocation that goes on, in the
    // pages that device memory has there (GlobalMemory::open_pages).
    void warn_beyond_allocation(Diagnostic told) const;
    // The event of an instruction that sets or takes a flag of this core.
    FlagEvent flag_event(const Instruction& instruction, uint64_t sequence) const;
    // Tells the observers that `pipe` (S: the scalar unit) stalls on an instruction, and that it
    // goes on; `released` says why it stalled and who ended that.
    void tell_block(Pipe pipe, BlockReason reason, const Instruction* instruction,
                    uint64_t sequence) const;
    void tell_unblock(Pipe pipe, const BlockEvent& released, const Instruction* instruction,
                      uint64_t sequence) const;
};

// What tell_unblock() says of the instruction that ended a stall.
inline BlockEvent released_by(CoreId core, Pipe pipe, uint64_t sequence) {
    BlockEvent event;
    event.released_by = sequence;
    event.released_pipe = pipe;
    event.released_core = core;
    return event;
}

}  // namespace ptosim
