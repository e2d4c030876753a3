// ptosim run --dry-run: reads, binds, plans and verifies kernels, and prints their requirements.
#pragma once

#include "sim/faces/cli/run_options.h"

namespace ptosim::cli {

// Checks every function of a .pto file, launchable or not, unless options.entry names one. For a folder, checks every
// .pto file in it and its subfolders and prints a table with one line for each. The chip comes from the options;
// without one it is the 910B1 or 950PR, according to the file's target. Returns the exit code. Throws DiagnosticError
// with all errors of a single file.
int dry_run(const RunOptions& options);

}  // namespace ptosim::cli
