// What the control flow of a kernel says of its flags where a run has not been.
#pragma once

#include <string>
#include <vector>

#include "sim/session/scope.h"

namespace ptosim {

struct FlagsOnPaths {
    std::vector<Diagnostic> findings;  // E31: branches that no core has taken
    std::vector<std::string> notes;    // what cannot be shown
};

// After a launch of the kernel. Of branches that were taken the checkers have judged.
FlagsOnPaths flags_on_paths(const assembly::AssemblyKernel& kernel, const ScopeMeter& reached);

}  // namespace ptosim
