// The assumed figures of a chip that affect the time of a run.
#pragma once

#include <string>
#include <vector>

#include "sim/machine/model/chip_model.h"

namespace ptosim {

// Paths of parameters of grade "assumed" that have been read, sorted.
std::vector<std::string> assumed_figures(const ChipModel& chip, const ParametersRead& read);
// Text such as "rests on 3 assumed figures: ..."; empty if there are none.
std::string assumed_text(const std::vector<std::string>& paths);

}  // namespace ptosim
