// Time of a vector function whose operations are known one by one.
#pragma once

#include "isa/intrinsics/vector_program.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {

// From its first operation to the end of its last, including the overhead of a function.
Cost vector_program_cost(const ChipModel& chip, const VectorProgram& program);

}  // namespace ptosim
