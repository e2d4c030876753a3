// What limits a run, in a sentence.
#pragma once

#include <string>

#include <span>

#include "traces/analyse/accounting.h"
#include "traces/analyse/advice.h"

namespace ptosim {

// The first advice, if there is any, and what the totals say of the busiest pipe. Every text and
// file that names a bottleneck has this one.
std::string bottleneck_text(const Accounting& accounting, std::span<const Advice> advice = {});

}  // namespace ptosim
