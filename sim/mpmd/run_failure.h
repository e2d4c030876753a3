// Why a run of the runtime has failed, in words.
#pragma once

#include <string>

#include "isa/core/diagnostic.h"
#include "sim/mpmd/run_queue.h"

namespace ptosim::mpmd {

struct RunFailure {
    std::string what;  // "the runtime has ended it with code 2: its heap has no room for the next task's tensors"
    std::string hint;  // what to set; may be empty
};

// Of a runtime whose processors have ended with a code: simpler's are the negative of its error codes. Nothing of a
// run whose processors have all ended with 0.
RunFailure failure_of(const Participants& participants);
// A processor's code has thrown. What its runtime appends of a stack is left out: it is of the simulator.
Diagnostic thrown_by_processor(const std::string& what);

}  // namespace ptosim::mpmd
