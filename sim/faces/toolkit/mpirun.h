// Starts the ranks of a program on this machine, and ends all of them when one fails.
#pragma once

#include <string>
#include <vector>

namespace ptosim::toolkit {

// Runs the words after `mpirun`. Returns the first nonzero code of a rank, else 0. Throws DiagnosticError (H04).
int run_mpirun(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
