// The variables of the environment that this program and its scripts read.
#pragma once

#include <string>

namespace ptosim {

// A warning for each variable PTOSIM_... that nothing reads, one a line, with the name that may
// have been meant; empty if there is none.
std::string unknown_variables();

}  // namespace ptosim
