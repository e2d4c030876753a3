// ptosim run --dry-run: reads, binds, plans and verifies kernels, and says what they need.
#pragma once

#include "sim/cli/run_options.h"

namespace ptosim::cli {

// Of a .pto file every function is looked at, whether it can be launched or not, unless
// options.entry names one; of a folder every .pto file in it and below, as a table with one line
// each, on the chip of options, or without one the 910B1 or 950PR, as the file's target says.
// Returns the exit code; throws DiagnosticError with everything that is wrong with a single file.
int dry_run(const RunOptions& options);

}  // namespace ptosim::cli
