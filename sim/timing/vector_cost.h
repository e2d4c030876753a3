// What vector instructions take: by repeats of 256 bytes on a2a3, by vector functions on a5.
#pragma once

#include <optional>

#include "sim/timing/cost.h"

namespace ptosim {

// What a vector unit takes at once, in one cycle at its best.
constexpr uint64_t kRepeatBytes = 256;

Cost vector_cost(const ChipModel& chip, const Instruction& instruction);

// Passes of 256 bytes in which a vector function takes an instruction, in lines that do not run
// together.
struct Passes {
    uint64_t lines = 1, each = 1;
    uint64_t all() const { return lines * each; }
};
// None for what is not one loop over passes: reductions, sorts, gathers.
std::optional<Passes> passes_of(const Instruction& instruction);

}  // namespace ptosim
