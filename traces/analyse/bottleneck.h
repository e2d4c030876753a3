// What limits a run, in a sentence.
#pragma once

#include <string>

#include "traces/analyse/accounting.h"

namespace ptosim {

// Derived from the totals.
std::string bottleneck_text(const Accounting& accounting);

}  // namespace ptosim
