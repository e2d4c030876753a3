// A run of a launch by another path, under the checkers, in a process that ends with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/assembly/paths/search.h"
#include "isa/assembly/program/step_counts.h"
#include "sim/check/registry.h"
#include "sim/machine/chip/chip.h"

namespace ptosim {

struct PathRun {
    bool finished = false;
    uint64_t instructions = 0;
    std::vector<Diagnostic> findings;  // of the machine and of the checkers
    assembly::StepCounts counts;       // steps of the kernel itself; empty for compiled kernels
    std::vector<std::pair<std::string, uint32_t>> lines;  // for compiled kernels: lines that have issued
};
std::string pack(const PathRun& run);
std::string pack(const assembly::PathChoice& choice);
assembly::PathChoice unpack_path_choice(std::string_view text);
PathRun unpack_path_run(std::string_view text);

// The control flow of a kernel alone on this chip, with the present contents of global memory.
DryLaunch dry_launch(Chip& chip);

// Arrays are moved to places with more room after them, because the chosen arguments may need more.
PathRun run_path(Chip& chip, const Kernel& kernel, const assembly::PathChoice& choice,
                 LaunchOptions options, const check::CheckOptions& checks);

}  // namespace ptosim
