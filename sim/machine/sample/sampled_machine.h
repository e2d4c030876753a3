// The parts of a chip that a sampler uses (sampler.h).
#pragma once

#include "isa/core/instruction.h"
#include "sim/machine/event/cycle.h"
#include "sim/machine/model/chip_model.h"
#include "sim/machine/observe/core_id.h"

namespace ptosim {

class SampledMachine {
 public:
    virtual ~SampledMachine() = default;
    virtual Cycle now() const = 0;
    // Does to L2 what the transfers of an instruction would do, in no time. Returns the bytes that
    // L2 lacks, and that it writes back.
    virtual uint64_t pass(CoreId core, const Instruction& instruction) = 0;
    // The sum of these bytes over all transfers that took time.
    virtual uint64_t behind_l2() const = 0;
    // Time that the memory after L2 takes for this number of bytes.
    virtual Milli time_behind_l2(uint64_t bytes) const = 0;
    // Keeps the content of L2, and restores it.
    virtual void keep_l2() = 0;
    virtual void restore_l2() = 0;
};

}  // namespace ptosim
