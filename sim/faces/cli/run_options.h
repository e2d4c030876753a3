// Common options of `run` and `check`, and the run.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "sim/check/causes.h"
#include "sim/faces/cli/options.h"
#include "sim/machine/chip/chip.h"
#include "sim/session/arguments.h"
#include "sim/session/kernel_file.h"
#include "sim/session/options.h"

namespace ptosim::cli {

struct RunOptions : CommandOptions {  // `chip` is empty unless it was chosen
    bool no_advice = false;           // do not compute advice
    // Called with the causes among the findings, after they have been written; may be empty.
    std::function<void(std::span<const check::Explanation>)> repair{};
};

void add_run_options(const Command& command, RunOptions& options);
// Parts of a run, for other commands that run a kernel. The options with their chip resolved, and its model if it had to
// be read:
std::pair<RunOptions, std::optional<ChipModel>> with_chip(const RunOptions& options, KernelSource& source);
KernelChoice kernel_choice(const RunOptions& options);
std::vector<Argument> arguments_of(const LoadedKernel& loaded, const RunOptions& options, GlobalMemory& memory);
void pass_l2(const RunOptions& options, const std::vector<Argument>& arguments, Chip& chip);
// Runs the kernel. Returns the exit code.
int run_kernel(const RunOptions& options);

}  // namespace ptosim::cli
