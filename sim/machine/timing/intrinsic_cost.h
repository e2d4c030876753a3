// Time of a vector intrinsic of a2a3: its repeats, their waits for banks of UB, and the time of the call alone, after a
// barrier, and after another call (docs/models.md).
#pragma once

#include "isa/intrinsics/intrinsic.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {

Cost intrinsic_cost(const ChipModel& chip, const IntrinsicCall& call);

}  // namespace ptosim
