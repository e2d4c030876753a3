// The part of a truncated recording that is complete.
#pragma once

#include <vector>

#include "traces/record/recording.h"

namespace ptosim {

// By core: up to which cycle the activity of the scalar unit is recorded; its last wait is missing
// from a truncated recording. kNever if the recording is complete.
std::vector<Cycle> scalar_recorded_until(const Recording& recording);

}  // namespace ptosim
