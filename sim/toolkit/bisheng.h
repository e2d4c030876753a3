// The device's compiler, as build scripts call it: what it makes runs on the simulated chip.
#pragma once

#include <string>
#include <vector>

#include "isa/core/pipe.h"

namespace ptosim::toolkit {

// The words behind `bisheng` or `ccec`. Sources in the device's language become objects with their
// kernels (sim/native/build.h, from the compile cache if it has them), others are the machine's own
// C++ compiler's (PTOSIM_CXX, else c++). Returns the exit code; a command for the host alone does
// not return. Throws DiagnosticError: H02, H03, H04, I01, I02.
int run_bisheng(const std::vector<std::string>& words);

// Whether the device's compiler infers the type of core that a kernel is for, where nobody says it.
bool infers_core_types(Arch arch);

}  // namespace ptosim::toolkit
