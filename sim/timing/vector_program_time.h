// What a vector function takes whose operations are known one by one.
#pragma once

#include "isa/intrinsics/vector_program.h"
#include "sim/timing/cost.h"

namespace ptosim {

// From its first operation to the end of its last, with what a function takes besides.
Cost vector_program_cost(const ChipModel& chip, const VectorProgram& program);

}  // namespace ptosim
