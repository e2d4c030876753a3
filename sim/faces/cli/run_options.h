// Common options of `run` and `check`, and the run.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/check/causes.h"
#include "sim/faces/cli/options.h"
#include "sim/session/options.h"
#include "sim/session/path_choice.h"

namespace ptosim::cli {

struct RunOptions : SessionOptions {
    std::string kernel;                   // `chip` is empty unless it was chosen
    std::vector<std::string> parameters;  // NAME=VALUE of the kernel
    std::vector<std::string> defines;     // NAME[=VALUE] of a C++ kernel
    std::vector<std::string> includes;    // folders with headers of a C++ kernel
    std::string cores;                    // aic, aiv or mix, for a C++ kernel; empty: as declared
    std::string entry;
    uint32_t blocks = 0;
    uint32_t warm = 0;
    std::vector<std::string> arguments;
    std::vector<std::string> goldens;
    std::vector<uint32_t> bypass_l2;  // parameters that L2 does not keep
    std::string emit;
    std::string plan = "legacy";
    std::string assembler = "v0.60";
    bool dry_run = false;
    bool verbose = false;
    bool strict = false;     // errors of the assembler end the run
    bool no_advice = false;  // do not compute advice
    // Called with the causes among the findings, after they have been written; may be empty.
    std::function<void(std::span<const check::Explanation>)> repair{};
};

void add_run_options(const Command& command, RunOptions& options);
// Runs the kernel. Returns the exit code.
int run_kernel(const RunOptions& options);

}  // namespace ptosim::cli
