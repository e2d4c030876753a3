// The limit of a run as a sentence.
#pragma once

#include <string>

#include <span>

#include "traces/analyse/accounting.h"
#include "traces/analyse/advice.h"

namespace ptosim {

// The first advice, if there is any, and the totals of the busiest pipe. All texts and files that
// name a bottleneck use this sentence.
std::string bottleneck_text(const Accounting& accounting, std::span<const Advice> advice = {});

}  // namespace ptosim
