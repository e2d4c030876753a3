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

// A wait of a core at this moment. More may still be issued that ends it.
struct PresentWait {
    Pipe pipe = Pipe::kS;
    BlockReason reason = BlockReason::kFlag;
    std::string text;  // "waits for flag MTE2->V #0; no set_flag for it has been issued"
    Cycle since = 0;   // of a pipe
    SourceLocation where;
};
std::vector<PresentWait> present_waits(const Core& core, const SourceMap& sources);

}  // namespace ptosim
