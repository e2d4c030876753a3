// The control flow of a kernel alone: its steps are executed and counted, and nothing that it issues
// is.
#pragma once

#include <functional>

#include "isa/assembly/program/interpreter.h"

namespace ptosim::assembly {

// The launch in which it runs.
struct DryLaunch {
    Arch arch = Arch::kA2A3;
    uint32_t blocks = 1;
    uint64_t most_operations = 20'000;  // scalar operations and instructions of a core
    // An element of global memory as it is before the launch.
    std::function<uint64_t(uint64_t address, DType type)> load;
};

struct DryRun {
    StepCounts counts;
    bool ended = true;    // false: stopped by DryLaunch::most_operations
    bool failed = false;  // an error of the control flow: a division by zero, a negative extent
    uint64_t operations = 0;  // of all cores
};

// On some blocks of the launch: the first ones, one in the middle, the last ones.
DryRun dry_run(const AssemblyKernel& kernel, KernelArguments arguments, const DryLaunch& launch);

}  // namespace ptosim::assembly
