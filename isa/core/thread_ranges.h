// The bytes that the threads of a block have accessed: an operand of the instruction THREADS, for checkers.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/instruction.h"

namespace ptosim {

struct ThreadRange {
    uint64_t begin = 0, end = 0;  // bytes of UB, or of global memory
    bool global = false;
    bool reads = false, writes = false;
    bool atomic = false;
};

// Keeps ranges for an instruction THREADS. Returns their number, its operand.
uint64_t keep_thread_ranges(std::vector<ThreadRange> ranges);
const std::vector<ThreadRange>& thread_ranges(const Instruction& instruction);

}  // namespace ptosim
