// What the threads of a block have done to memory: the operands of an instruction THREADS.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/instruction.h"

namespace ptosim {

struct ThreadWork {
    uint64_t cycles = 1;
    // Bytes of global memory by whole lines; those that L2 lacked, or wrote back.
    uint64_t read = 0, written = 0, behind_l2 = 0;

    // Bytes that the block has read before it has written them, and bytes that it has written, in ascending order.
    // Recorded if checkers need them.
    struct Range {
        uint64_t begin = 0, end = 0;
        bool atomic = false;
    };
    std::vector<Range> local_reads{}, local_writes{}, global_reads{}, global_writes{};
};

Instruction threads_instruction(ThreadWork work, SourceLocation where);
// Work of an instruction THREADS.
const ThreadWork& thread_work(const Instruction& instruction);

}  // namespace ptosim
