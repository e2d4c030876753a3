// The control flow of an assembly kernel alone: its steps are executed and counted.
#pragma once

#include "isa/assembly/paths/dry_port.h"
#include "isa/assembly/program/interpreter.h"

namespace ptosim::assembly {

struct DryRun {
    StepCounts counts;
    bool ended = true;    // false: stopped by DryLaunch::most_operations
    bool failed = false;  // an error of the control flow: a division by zero, a negative extent
    uint64_t operations = 0;  // of all cores
};

DryRun dry_run(const AssemblyKernel& kernel, KernelArguments arguments, const DryLaunch& launch);

}  // namespace ptosim::assembly
