// The operands of an instruction THREADS: the cost of a block's threads.
#pragma once

#include <cstdint>

#include "isa/core/instruction.h"

namespace ptosim {

struct ThreadWork {
    uint64_t cycles = 1;
    // Bytes of global memory by whole lines, and bytes that L2 lacked or wrote back.
    uint64_t read = 0, written = 0, behind_l2 = 0;
    uint64_t effects = 0;  // their number (thread_effects.h); 0: none are kept
};

Instruction threads_instruction(const ThreadWork& work, SourceLocation where);
ThreadWork thread_work(const Instruction& instruction);

}  // namespace ptosim
