// Environment variables of this program and its scripts.
#pragma once

#include <string>

namespace ptosim {

// A warning for each unknown variable PTOSIM_..., one per line, with the name that may have been meant; empty if there
// are none.
std::string unknown_variables();

}  // namespace ptosim
