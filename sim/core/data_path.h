// The on-chip memories of a core, and what instructions do to data when they complete.
#pragma once

#include <array>

#include "isa/core/behaviour.h"
#include "isa/table/early_writes.h"
#include "isa/table/internal_flags.h"
#include "sim/core/core_context.h"

namespace ptosim {

class DataPath : private DataReporter {
 public:
    // Takes the memories that a core of this type has from the chip's.
    explicit DataPath(CoreContext& core);

    // A byte of an on-chip memory of this core, and how many it has (0: the core has no such
    // memory).
    std::byte* local(Space space, uint64_t address) const { return memory(space).data + address; }
    uint64_t size(Space space) const { return memory(space).size; }

    // The data of an instruction that completes takes effect; in --mode timing there is none. It
    // may be computed later, on another thread, but before anybody can see it.
    void execute(const Instruction& instruction, uint64_t sequence) {
        if (core_.computes_data()) compute(instruction, sequence);
    }
    // The data of a store that leaves for another chip; they take effect there, a latency and `after` cycles from now.
    void send(const Instruction& instruction, Cycle after);
    // Registers that intrinsics write, as they are after all that has been executed.
    IntrinsicState& registers() { return registers_; }
    // Prints what a TPRINT names, as it is now.
    void print(const Instruction& instruction);

 private:
    const LocalBuffer& memory(Space space) const { return memories_[static_cast<size_t>(space)]; }
    void compute(const Instruction& instruction, uint64_t sequence);
    void compute_followed(const Instruction& instruction, uint64_t sequence,
                          DataObserver& observer);
    void take_effect(const Instruction& instruction);
    void compute_results(const Instruction& instruction);
    void take_effect_with(const ScratchShortage& shortage, const Execution& execution);
    void take_effect_with(const EarlyWrite& write, const Execution& execution);
    Execution execution_of(const Instruction& instruction);
    std::byte* bytes_of_tile(const Instruction& instruction, unsigned operand) const;
    void report(const DataFinding& finding) override;

    CoreContext& core_;
    std::array<LocalBuffer, kSpaceCount> memories_;
    IntrinsicState registers_;
    const Instruction* executing_ = nullptr;  // whose data is being looked at
};

}  // namespace ptosim
