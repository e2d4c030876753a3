// The device's compiler for build scripts: its output runs on the simulated chip.
#pragma once

#include <string>
#include <vector>

#include "isa/core/pipe.h"

namespace ptosim::toolkit {

// Runs the words after `bisheng` or `ccec`. Sources in the device's language become objects with their kernels
// (sim/compile/build.h, from the compile cache if present); others are compiled by the host machine's C++ compiler
// (PTOSIM_CXX, else c++). Returns the exit code; a command for the host only does not return. Throws DiagnosticError:
// H02, H03, H04, I01, I02.
int run_bisheng(const std::vector<std::string>& words);

// True if the device's compiler infers the core type of a kernel without a declared one.
bool infers_core_types(Arch arch);

}  // namespace ptosim::toolkit
