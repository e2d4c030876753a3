// What vector instructions take: by repeats of 256 bytes on a2a3, by vector functions on a5.
#pragma once

#include "sim/timing/cost.h"

namespace ptosim {

Cost vector_cost(const ChipModel& chip, const Instruction& instruction);

}  // namespace ptosim
