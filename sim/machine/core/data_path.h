// The on-chip memories of a core, and the effect of completed instructions on data.
#pragma once

#include <array>

#include "isa/core/behaviour.h"
#include "isa/table/early_writes.h"
#include "isa/table/internal_flags.h"
#include "sim/machine/core/core_context.h"

namespace ptosim {

class DataPath : private DataReporter {
 public:
    // Takes this core's memories from the chip's.
    explicit DataPath(CoreContext& core);

    // Address of a byte of an on-chip memory of this core, and the memory's size (0: the core has no such memory).
    std::byte* local(Space space, uint64_t address) const { return memory(space).data + address; }
    uint64_t size(Space space) const { return memory(space).size; }

    // Applies the data of an instruction that completes; does nothing in --mode timing. Another thread may compute it
    // later, but before anything reads it.
    void execute(const Instruction& instruction, uint64_t sequence) {
        if (core_.computes_data()) compute(instruction, sequence);
    }
    // Sends the data of a store, which has this number, to another chip (sim/machine/memory/remote_memory.h).
    void send(const Instruction& instruction, uint32_t number, Cycle after, Event& answered);
    // Registers that intrinsics write, after everything executed so far.
    IntrinsicState& registers() { return registers_; }
    // Prints the operand of a TPRINT with its present content.
    void print(const Instruction& instruction);

 private:
    const LocalBuffer& memory(Space space) const { return memories_[static_cast<size_t>(space)]; }
    void compute(const Instruction& instruction, uint64_t sequence);
    // False if no observer follows this instruction.
    bool compute_followed(const Instruction& instruction, uint64_t sequence);
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
    const Instruction* executing_ = nullptr;  // the instruction whose data is being checked
};

}  // namespace ptosim
