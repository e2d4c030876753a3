// Why nothing moves any more.
#pragma once

#include <vector>

#include "sim/core/core.h"

namespace ptosim {

// Explains cores that have not finished although no event is left: who waits for what, where, and
// what would have had to happen. One diagnostic with a note per waiting pipe.
Diagnostic explain_deadlock(const std::vector<const Core*>& cores, const SourceMap& sources,
                            Cycle now);

}  // namespace ptosim
