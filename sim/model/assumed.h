// Which figures of a chip that a run's time rests on are only assumed.
#pragma once

#include <string>
#include <vector>

#include "sim/model/chip_model.h"

namespace ptosim {

// Paths of the parameters of grade "assumed" among those read, sorted.
std::vector<std::string> assumed_figures(const ChipModel& chip, const ParametersRead& read);
// "rests on 3 assumed figures: ..."; empty if it rests on none.
std::string assumed_text(const std::vector<std::string>& paths);

}  // namespace ptosim
