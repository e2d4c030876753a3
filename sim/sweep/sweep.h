// A sweep: what is missing of a plan is run, here or by a cluster's own launcher, and stored.
#pragma once

#include <string>
#include <vector>

namespace ptosim::sweep {

struct SweepOptions {
    std::string plan;
    std::string out;                            // default: the plan's name with .sweep
    unsigned jobs = 0;                          // at a time on this machine; 0: one per processor
    std::string launcher = "local";             // or "slurm", "mpi"
    unsigned workers = 2;                       // of slurm and mpi
    std::vector<std::string> launcher_options;  // handed on to sbatch or mpirun
    std::string shard;                          // "I/N", or "mpi/N": run one part into its own file
    std::string label;                          // keeps this run of the plan for trends
    bool retry_failed = false;
    bool dry_run = false;  // list the points, run nothing
};

struct SweepCount {
    size_t points = 0, done = 0, failed = 0, skipped = 0, missing = 0;
    size_t ran = 0;             // in this call
    bool stopped = false;       // by an interrupt
    std::string first_failure;  // the message of the first point that failed; empty if none has
};

// Throws DiagnosticError for a plan, a file or a launcher that cannot be used; what was done until
// then is stored. Says on standard error how far it is.
SweepCount run_sweep(const SweepOptions& options);

// Where the results of a plan go by default.
std::string default_output(const std::string& plan);

}  // namespace ptosim::sweep
