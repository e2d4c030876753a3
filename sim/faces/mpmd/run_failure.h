// The reason for which a run of the runtime has failed, in words.
#pragma once

#include <string>

#include "isa/core/diagnostic.h"
#include "sim/faces/mpmd/run_queue.h"

namespace ptosim::mpmd {

struct RunFailure {
    std::string what;  // "the runtime has ended it with code 2: its heap has no room for the next task's tensors"
    std::string hint;  // the setting to change; may be empty
};

// The failure of a runtime whose processors ended with a code; simpler's codes are negative error codes. Empty if all
// processors ended with 0.
RunFailure failure_of(const Participants& participants);
// An exception in a processor's code. The stack that its runtime appends is removed, because it is the simulator's.
Diagnostic thrown_by_processor(const std::string& what);

}  // namespace ptosim::mpmd
