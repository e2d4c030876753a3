// The machine that takes the operations of a vector function: in order, as long as it has a
// register for each result; each starts when what it reads is there and a port of its kind is free.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/chip_model.h"
#include "sim/timing/cost.h"

namespace ptosim {

// An operation, in each pass.
struct VectorStep {
    // A barrier: what comes later waits until all before it is done.
    enum class Kind : uint8_t { kLoad, kCompute, kStore, kBarrier };
    Kind kind = Kind::kCompute;
    std::vector<uint32_t> sources;  // steps of this pass whose results it reads
    Cycle result = 0, special = 0;  // until its result can be used; for which it holds the unit of
                                    // special functions
};

// Cycles until the last step of so many passes has started.
Cycle time_of_passes(const VectorFunctions& rules, const std::vector<VectorStep>& body,
                     uint64_t passes);

}  // namespace ptosim
