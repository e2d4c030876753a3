// Common options of `run` and `check`, and the run.
#pragma once

#include <functional>
#include <span>

#include "sim/check/causes.h"
#include "sim/faces/cli/options.h"
#include "sim/session/options.h"

namespace ptosim::cli {

struct RunOptions : CommandOptions {  // `chip` is empty unless it was chosen
    bool no_advice = false;           // do not compute advice
    // Called with the causes among the findings, after they have been written; may be empty.
    std::function<void(std::span<const check::Explanation>)> repair{};
};

void add_run_options(const Command& command, RunOptions& options);
// Runs the kernel. Returns the exit code.
int run_kernel(const RunOptions& options);

}  // namespace ptosim::cli
