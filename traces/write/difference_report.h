// Report of `ptosim diff` about two runs: for people and for programs.
#pragma once

#include <string>

#include "traces/analyse/difference.h"

namespace ptosim {

class Json;

std::string difference_text(const Difference& difference);
// `millionths`: the tolerance, of the cycles of the first.
Json difference_json(const Difference& difference, uint64_t millionths, bool allow_faster = false);

}  // namespace ptosim
