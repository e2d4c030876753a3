// The machine that executes the operations of a vector function. It accepts them in order while it has a register for
// each result, and starts each when its operands are ready and a port of its kind is free.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine/model/chip_model.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {

// An operation of each pass.
struct VectorStep {
    // kBarrier: later steps wait until all earlier ones are done.
    enum class Kind : uint8_t { kLoad, kCompute, kStore, kBarrier };
    Kind kind = Kind::kCompute;
    std::vector<uint32_t> sources;  // steps of this pass whose results it reads
    Cycle result = 0, special = 0;  // until its result can be used; time in the unit of
                                    // special functions
};

// Cycles until the last step of `passes` passes has started.
Cycle time_of_passes(const VectorFunctions& rules, const std::vector<VectorStep>& body,
                     uint64_t passes);

}  // namespace ptosim
