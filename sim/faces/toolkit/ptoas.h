// The assembler for build scripts: makes C++ from .pto, whose kernels run on the simulated chip.
#pragma once

#include <string>
#include <vector>

namespace ptosim::toolkit {

// Runs the words after `ptoas`. Verifies the text, plans addresses, inserts flags if requested, and writes C++
// (assembly_source.h), an object or the explicit form. Returns the exit code: 1, as the device's assembler does, for
// all errors, which have been printed.
int run_ptoas(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
