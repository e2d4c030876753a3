// Facts of a chip with which reports compare runs, derived from its parameters.
#pragma once

#include "sim/machine/model/chip_model.h"
#include "sim/machine/observe/chip_facts.h"

namespace ptosim {

Peaks peaks(const ChipModel& chip);
ChipFacts chip_facts(const ChipModel& chip);
inline Bounds bounds(const ChipModel& chip, const Work& work) { return bounds(peaks(chip), work); }

}  // namespace ptosim
