// The report of a deadlock.
#pragma once

#include <vector>

#include "sim/machine/chip/cross_core.h"
#include "sim/machine/core/core.h"

namespace ptosim {

// Explains why these cores have not finished although the event queue is empty: one diagnostic (E05) at the root, the
// wait that nothing can end, with a cycle of waits if there is one. A note for each blocked pipe states the event that
// it waits for, its location, and why it does not come. If a core waits for a signal, notes list signals that have gone
// to places where nothing waits for them.
Diagnostic explain_deadlock(const std::vector<const Core*>& cores, const CrossCoreNetwork& network,
                            const SourceMap& sources, Cycle now);

}  // namespace ptosim
