// Workers on machines that Slurm or MPI give.
#pragma once

#include <string>

#include "sim/sweep/sweep.h"

namespace ptosim::sweep {

// Starts options.workers shards of a sweep with options.launcher and waits for their end. Returns
// what went wrong, or nothing. Throws DiagnosticError (I54) if the launcher is not there.
std::string launch_workers(const SweepOptions& options, const std::string& program);

}  // namespace ptosim::sweep
