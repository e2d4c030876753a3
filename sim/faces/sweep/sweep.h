// A sweep: runs the missing points of a plan, here or with a cluster's launcher, and stores the results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/faces/sweep/plan.h"

namespace ptosim::sweep {

struct SweepOptions {
    std::string plan;
    std::optional<Plan::Question> question;     // in place of a plan
    std::string out;                            // default: the plan's name with .sweep
    unsigned jobs = 0;                          // parallel ones on this machine; 0: one per processor
    std::string launcher = "local";             // or "slurm", "mpi"
    unsigned workers = 2;                       // of slurm and mpi
    std::vector<std::string> launcher_options;  // passed to sbatch or mpirun
    std::string shard;                          // "I/N" or "mpi/N": run one part into a separate file
    std::string label;                          // keeps this run of the plan for trends
    bool retry_failed = false;
    bool dry_run = false;  // list the points, run nothing
};

struct SweepCount {
    size_t points = 0, done = 0, failed = 0, skipped = 0, missing = 0;
    size_t ran = 0;             // in this call
    bool stopped = false;       // by an interrupt
    std::string first_failure;  // the message of the first failed point; empty if none has
};

// Throws DiagnosticError for an unusable plan, file or launcher; everything finished until then is stored. Reports its
// progress on standard error.
SweepCount run_sweep(const SweepOptions& options);

// The default file for the results of a plan.
std::string default_output(const std::string& plan);

}  // namespace ptosim::sweep
