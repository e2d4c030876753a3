// An instruction of each kind to ask costs about. Not for running: types and shapes are such that
// the cost is one of its layout, whether or not they are legal.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "isa/table/instruction_table.h"

namespace ptosim {

using TimeSample = std::pair<std::string, Instruction>;  // the layout, and an instruction of it

// Of an instruction with elements of this type; none if it is of another architecture.
std::vector<TimeSample> time_samples(const InstructionInfo& row, DType type, Arch arch);

}  // namespace ptosim
