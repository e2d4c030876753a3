// Executes the instructions that go to no pipe. The scalar unit issues, starts and completes each without a queue, and
// the control flow continues after it.
#pragma once

#include "sim/machine/core/scalar_memory.h"

namespace ptosim {

class ScalarInstructions {
 public:
    ScalarInstructions(CoreContext& core, ScalarUnit& scalar, Pipes& pipes, ScalarMemory& memory)
        : core_{core}, scalar_{scalar}, pipes_{pipes}, sync_{pipes.sync()}, memory_{memory} {}

    // Called at the instruction's issue time, with an empty run-ahead queue.
    void execute(const Instruction& instruction);

 private:
    void dispatch(const Instruction& instruction, uint64_t sequence);
    void barrier(const Instruction& instruction, uint64_t sequence);
    void wait_until_drained(const Instruction& instruction, uint64_t sequence);
    void wait_flag(const Instruction& instruction, uint64_t sequence);
    void wait_cross_core(const Instruction& instruction, uint64_t sequence);
    void buffer_token(const Instruction& instruction, uint64_t sequence);
    void compute(const Instruction& instruction, uint64_t sequence);

    CoreContext& core_;
    ScalarUnit& scalar_;
    Pipes& pipes_;
    SyncState& sync_;
    ScalarMemory& memory_;
};

}  // namespace ptosim
