// Workers on machines that Slurm or MPI provide.
#pragma once

#include <string>

#include "sim/faces/sweep/sweep.h"

namespace ptosim::sweep {

// Starts options.workers shards of a sweep with options.launcher and waits for their end. Returns an error message, or
// an empty string. Throws DiagnosticError (I54) if the launcher is missing.
std::string launch_workers(const SweepOptions& options, const std::string& program);

}  // namespace ptosim::sweep
