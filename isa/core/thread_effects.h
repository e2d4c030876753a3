// Effects of the threads of a block, for checkers and reports: an operand of the instruction
// THREADS.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/core/instruction.h"
#include "isa/core/thread_report.h"

namespace ptosim {

struct ThreadRange {
    uint64_t begin = 0, end = 0;  // bytes of UB, or of global memory
    bool global = false;
    bool reads = false, writes = false;
    bool atomic = false;
};

struct ThreadEffects {
    std::vector<ThreadRange> ranges{};     // that they have accessed; empty: nobody checks
    std::vector<WarpSpan> spans{};         // of the first blocks
    std::optional<ThreadReport> report{};  // none: nobody observes
};

// Keeps effects for an instruction THREADS. Returns their number, its operand.
uint64_t keep_thread_effects(ThreadEffects effects);
const ThreadEffects& thread_effects(const Instruction& instruction);

}  // namespace ptosim
