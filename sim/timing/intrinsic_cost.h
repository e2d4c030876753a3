// The time of a vector intrinsic of a2a3: its repeats, what they wait for banks of UB, and what the call
// itself takes alone, after a barrier, and after another call (docs/models.md).
#pragma once

#include "isa/intrinsics/intrinsic.h"
#include "sim/timing/cost.h"

namespace ptosim {

Cost intrinsic_cost(const ChipModel& chip, const IntrinsicCall& call);

}  // namespace ptosim
