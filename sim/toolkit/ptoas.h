// The assembler, as build scripts call it: C++ from .pto, whose kernels run on the simulated chip.
#pragma once

#include <string>
#include <vector>

namespace ptosim::toolkit {

// The words behind `ptoas`. Verifies the text, plans addresses, inserts flags where it is asked to,
// and writes C++ (assembly_source.h), an object or the explicit form. Returns the exit code: 1, as
// the device's own assembler, for everything that is wrong, which has been printed.
int run_ptoas(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
