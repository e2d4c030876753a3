// Loads kernels from their sources.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/core/kernel.h"
#include "sim/check/mend.h"
#include "sim/machine/observe/core_id.h"
#include "sim/native/kernel.h"
#include "sim/session/kernel_source.h"

namespace ptosim {

// Result of inserting flags.
struct InsertedFlags {
    size_t sets = 0, waits = 0, barriers = 0;
    bool had_flags = false;           // the kernel already has flags, so nothing was inserted
    std::vector<Diagnostic> notes{};  // loops that the flags serialise
};

// "legacy" or "modern".
assembly::PlanPolicy plan_policy(const std::string& word);
// Saturation of a conversion without a mode: "v0.60", "v0.63".
Saturation assembler_saturation(const std::string& word);

struct KeptTask;

struct LoadedKernel {
    std::unique_ptr<Kernel> kernel;
    // True if it may read its block's number or the number of blocks. If not, every block has the
    // same effect on the same bytes, so the kernel is meant for one block. For compiled kernels
    // this is known only for all of one source together.
    bool asks_for_block = true;
    InsertedFlags inserted{};
    // The kernel if it is compiled code; of a kept task, that of each core.
    struct Compiled {
        std::optional<CoreId> core;  // empty: on all cores
        NativeKernel* kernel = nullptr;
    };
    std::vector<Compiled> compiled{};
    // A kept task, and its folder; null for other kernels.
    std::shared_ptr<const KeptTask> task{};
    std::string folder{};
    // Errors of the assembler for a .pto file that nevertheless runs here.
    std::vector<Diagnostic> refused{};
    bool can_insert = false;  // flags can be inserted, because it is a .pto file
    // Makes the kernel of a .pto file with the lines of a mend. Messages refer to the lines of the
    // file. Null for other kernels, and if the flags were inserted. The chip must outlive it.
    std::function<std::unique_ptr<Kernel>(const std::vector<check::MendLine>&)> remake{};
};
// Loads the kernel for a chip. A .pto file is read, bound and planned; a C++ source is built first;
// from the output of `ptosim build` the device images are taken. Throws DiagnosticError.
LoadedKernel load_kernel(KernelSource& source, const ChipModel& chip);
LoadedKernel load_kernel(const KernelChoice& choice, const ChipModel& chip);

// All kernels of a C++ source, or of the output of `ptosim build`. Throws DiagnosticError.
std::vector<std::unique_ptr<Kernel>> load_native_kernels(const KernelChoice& choice,
                                                         const ChipModel& chip);

}  // namespace ptosim
