// Shared context of a core's parts: the core's identity, the chip around it, and the mode of the launch.
#pragma once

#include <string>

#include "sim/machine/core/environment.h"

namespace ptosim {

struct CoreContext {
    CoreContext(CoreId id, CoreEnvironment& environment);

    const CoreId id;
    const unsigned cluster;
    CoreEnvironment& environment;
    Lane& lane;  // of its cluster
    const ChipModel& model;
    const Arch arch;
    const ObserverList& observers;
    ParametersRead& read;  // parameters that have affected times so far
    // Settings of the launch, set when a block begins.
    RunMode mode = RunMode::kFull;
    bool auto_sync = false;
    Schedule* schedule = nullptr;  // null: the chip's own timing

    Cycle now() const { return lane.now(); }
    bool keeps_time() const { return mode != RunMode::kFunctional; }
    bool computes_data() const { return mode != RunMode::kTiming; }

    // Makes a diagnostic of this core at the current cycle.
    Diagnostic diagnostic(std::string code, Category category, std::string message,
                          SourceLocation where) const;
    // The bytes of global memory at an address; of another chip, this chip's copy of them.
    std::byte* global_bytes(uint64_t address) const {
        const RemoteMemory* const remote = environment.remote();
        return GlobalMemory::host(remote == nullptr ? address : remote->copy_of(address));
    }
    // With other chips: ends the run if a view in a window, of the access `what`, reaches beyond it (G16).
    void check_window(const std::string& what, const GlobalView& view, SourceLocation where) const;
    // Reports an access beyond an allocation, which then continues in the pages that device memory has there
    // (GlobalMemory::open_pages).
    void warn_beyond_allocation(Diagnostic told) const;
    // The event for an instruction that sets or takes a flag of this core.
    FlagEvent flag_event(const Instruction& instruction, uint64_t sequence) const;
    // Notifies the observers that `pipe` (S: the scalar unit) stalls on an instruction, or continues. `released` gives
    // the reason of the stall and the instruction that ended it.
    void tell_block(Pipe pipe, BlockReason reason, const Instruction* instruction,
                    uint64_t sequence) const;
    void tell_unblock(Pipe pipe, const BlockEvent& released, const Instruction* instruction,
                      uint64_t sequence) const;
};

// The `released` argument of tell_unblock(): the instruction that ended a stall.
inline BlockEvent released_by(CoreId core, Pipe pipe, uint64_t sequence) {
    BlockEvent event;
    event.released_by = sequence;
    event.released_pipe = pipe;
    event.released_core = core;
    return event;
}

}  // namespace ptosim
