// The time of a vector intrinsic of a2a3: its repeats at the rate of the tile instruction that is made
// of it.
#pragma once

#include "isa/intrinsics/intrinsic.h"
#include "sim/timing/cost.h"

namespace ptosim {

Cost intrinsic_cost(const ChipModel& chip, const IntrinsicCall& call);

}  // namespace ptosim
