// Kernels from their sources.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/core/kernel.h"
#include "sim/session/kernel_source.h"

namespace ptosim {

// What inserting has done.
struct InsertedFlags {
    size_t sets = 0, waits = 0, barriers = 0;
    bool had_flags = false;  // the kernel has its own: nothing was inserted
};

// "legacy" or "modern".
assembly::PlanPolicy plan_policy(const std::string& word);
// Of a conversion without a mode: "v0.60", "v0.63".
Saturation assembler_saturation(const std::string& word);

struct LoadedKernel {
    std::unique_ptr<Kernel> kernel;
    // Whether it may ask which block it is, or of how many. One that cannot does the same in every
    // block, to the same bytes: it is meant for one. Of compiled kernels it is known of all that
    // come from one source together.
    bool asks_for_block = true;
    InsertedFlags inserted{};
    // What the assembler would refuse of a .pto file that runs here.
    std::vector<Diagnostic> refused{};
    bool can_insert = false;  // flags: it is a .pto file
};
// The kernel for a chip: a .pto file is read, bound and planned; a C++ source is built first; of
// what `ptosim build` made the device images are taken. Throws DiagnosticError.
LoadedKernel load_kernel(KernelSource& source, const ChipModel& chip);
LoadedKernel load_kernel(const KernelChoice& choice, const ChipModel& chip);

// All kernels of a C++ source, or of what `ptosim build` made. Throws DiagnosticError.
std::vector<std::unique_ptr<Kernel>> load_native_kernels(const KernelChoice& choice,
                                                         const ChipModel& chip);

}  // namespace ptosim
