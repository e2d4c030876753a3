// Checks the flags on paths of a kernel's control flow that a run has not taken.
#pragma once

#include <string>
#include <vector>

#include "sim/session/scope.h"

namespace ptosim {

struct FlagsOnPaths {
    std::vector<Diagnostic> findings;  // E31: branches that no core has taken
    std::vector<std::string> notes;    // limits of the analysis
};

// Called after a launch of the kernel by the interpreter. Checkers examine branches that were taken.
FlagsOnPaths flags_on_paths(const Kernel& kernel, const ScopeMeter& reached);

}  // namespace ptosim
