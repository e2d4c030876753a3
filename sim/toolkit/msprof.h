// The profiler of kernels, as users call it: runs a program, and writes what tools read.
#pragma once

#include <string>
#include <vector>

namespace ptosim::toolkit {

// The words behind `msprof`. Runs the program with a recording of its launches, takes those of the
// kernels that were chosen, and writes the folder OPPROF_<time>_<letters>: simulator/ for
// MindStudio Insight (traces/write/insight.h), for `op` without `simulator` tables of the launch,
// too (kernel_tables.h). Returns the exit code of the program if that has failed. Throws
// DiagnosticError: H04 for options, and for a program that has launched no such kernel; I02, I40,
// I41.
int run_msprof(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
