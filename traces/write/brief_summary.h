// The text that `ptosim run` prints: time, bottleneck, the best advice, one line per pipe, in 100 columns.
#pragma once

#include <span>
#include <string>

#include "traces/analyse/accounting.h"
#include "traces/analyse/advice.h"
#include "traces/analyse/time_basis.h"

namespace ptosim {

std::string brief_text(const Accounting& accounting, std::span<const Advice> advice, const TimeBasis& basis);

}  // namespace ptosim
