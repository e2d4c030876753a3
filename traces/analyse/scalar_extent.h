// What a recording that was broken off does not tell.
#pragma once

#include <vector>

#include "traces/record/recording.h"

namespace ptosim {

// Up to where it is known, by core, what the scalar unit did: what it waited for at the end has
// not been recorded. kNever where the recording has its end.
std::vector<Cycle> scalar_recorded_until(const Recording& recording);

}  // namespace ptosim
