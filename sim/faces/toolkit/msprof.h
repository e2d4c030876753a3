// The profiler of kernels: runs a program, and writes files for tools.
#pragma once

#include <string>
#include <vector>

namespace ptosim::toolkit {

// Runs the words after `msprof`. Runs the program with a recording of its launches, selects the launches of the chosen
// kernels, and writes the folder OPPROF_<time>_<letters>: simulator/ for MindStudio Insight (traces/write/insight.h);
// for `op` without `simulator` also tables of the launch (kernel_tables.h). Returns the exit code of the program if
// that has failed. Throws DiagnosticError: H04 for options, and for a program that has launched no such kernel; I02,
// I40, I41.
int run_msprof(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
