// What the control flow of a kernel shows about flags on paths that a run has not taken.
#pragma once

#include <string>
#include <vector>

#include "sim/session/scope.h"

namespace ptosim {

struct FlagsOnPaths {
    std::vector<Diagnostic> findings;  // E31: branches that no core has taken
    std::vector<std::string> notes;    // what cannot be shown
};

// After a launch of the kernel, which an interpreter has run. Checkers judge branches that were
// taken.
FlagsOnPaths flags_on_paths(const Kernel& kernel, const ScopeMeter& reached);

}  // namespace ptosim
