// Sample instructions of each kind, used to evaluate costs. They are not meant to run: types and shapes only produce
// the cost of their layout, and may be illegal.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "isa/table/instruction_table.h"

namespace ptosim {

using TimeSample = std::pair<std::string, Instruction>;  // layout, and an instruction with it

// Samples with elements of this type; none for an instruction of another architecture.
std::vector<TimeSample> time_samples(const InstructionInfo& row, DType type, Arch arch);

}  // namespace ptosim
