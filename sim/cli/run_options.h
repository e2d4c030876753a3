// What `run` and `check` have in common: their options, and the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/check/checkers.h"
#include "sim/cli/options.h"
#include "traces/traces.h"

namespace ptosim::cli {

struct RunOptions {
    std::string kernel;
    std::string chip = "ascend910b1";
    bool chip_given = false;
    std::vector<std::string> overrides;
    std::vector<std::string> parameters;  // NAME=VALUE of the kernel
    std::vector<std::string> defines;     // NAME[=VALUE] of a C++ kernel
    std::vector<std::string> includes;    // folders with headers of a C++ kernel
    std::string cores;                    // aic, aiv or mix, for a C++ kernel; empty: as it asks
    std::string entry;
    uint32_t blocks = 0;
    uint32_t warm = 0;
    std::vector<std::string> arguments;
    std::vector<std::string> goldens;
    std::vector<uint32_t> past_l2;  // parameters that L2 does not keep
    std::string sync;
    std::string emit;
    std::string plan = "legacy";
    std::string numerics = "ieee";
    std::string mode = "full";
    std::string trace;
    std::string trace_formats{kDefaultFormats};
    uint64_t seed = 0;
    unsigned threads = 0;  // 0: as many as the host has
    std::string json;
    bool dry_run = false;
    std::string format = "text";
    std::string report;
    std::string check = "none";
    std::string suppress;
    uint64_t check_memory = 1024;  // MiB
    bool wasted = false;
};

void add_run_options(const Command& command, RunOptions& options);
// "bounds,init,race,sync,cache" or "none". Throws DiagnosticError for another word.
check::CheckOptions check_options(const RunOptions& options);
// Runs the kernel; returns the exit code.
int run_kernel(const RunOptions& options);

}  // namespace ptosim::cli
