// Cost of vector instructions: by repeats of 256 bytes on a2a3, by vector functions on a5.
#pragma once

#include <optional>

#include "sim/machine/timing/cost.h"

namespace ptosim {

// Bytes that a vector unit processes at once, in one cycle at best.
constexpr uint64_t kRepeatBytes = 256;

Cost vector_cost(const ChipModel& chip, const Instruction& instruction);

// Passes of 256 bytes of an instruction in a vector function, in lines that are not contiguous.
struct Passes {
    uint64_t lines = 1, each = 1;
    uint64_t all() const { return lines * each; }
};
// Empty for instructions that are not one loop over passes: reductions, sorts, gathers.
std::optional<Passes> passes_of(const Instruction& instruction);

}  // namespace ptosim
