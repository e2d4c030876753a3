// A kernel from a file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/plan/planner.h"
#include "isa/core/kernel.h"
#include "sim/model/chip_model.h"

namespace ptosim {

// How a kernel is made from its file.
struct KernelChoice {
    std::string path;
    std::optional<std::string> text{};      // .pto text that is not in a file; `path` is its name
    std::string entry{};                    // names the function; may be empty if there is only one
    std::vector<std::string> parameters{};  // NAME=VALUE for a .pto kernel that declares some
    std::vector<std::string> defines{};     // NAME[=VALUE] for a C++ source
    std::vector<std::string> includes{};    // folders with its headers
    bool report_accesses = false;           // a C++ source: by plain pointers, for checkers
    std::string cores{};                    // aic, aiv or mix; empty: as the source asks
    bool insert_flags = false;              // into a .pto kernel that has none
    std::string emit{};  // a file for the explicit form of a .pto kernel; may be empty
    assembly::PlanPolicy plan = assembly::PlanPolicy::kInOrder;
};

// What inserting has done.
struct InsertedFlags {
    size_t sets = 0, waits = 0, barriers = 0;
    bool had_flags = false;  // the kernel has its own: nothing was inserted
};

// Whether the file is .pto text, by its name and its first bytes.
bool is_assembly(const std::string& path);
// Reads a .pto file, with the parameters that it declares for a chip. Throws DiagnosticError.
std::unique_ptr<assembly::Module> load_module(const KernelChoice& choice, const ChipModel& chip);

// The one place that says on which chip a kernel runs.
struct ChipChoice {
    std::string chip;
    // It, where it had to be read to choose it.
    std::optional<ChipModel> model;
    // The file declares another architecture than the chosen chip has, or none that there is.
    std::optional<Diagnostic> warning;
};
// `chosen`, if somebody has chosen one. Otherwise the default chip of the architecture that the
// kernel's file declares (pto.target_arch) or was built for, and of a2a3 if it says nothing. Throws
// DiagnosticError for a file or a chip that cannot be used.
ChipChoice chip_for(const KernelChoice& choice, const std::string& chosen,
                    const std::vector<std::string>& overrides);

// "legacy" or "modern".
assembly::PlanPolicy plan_policy(const std::string& word);

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
// What the assembler refuses of a module: of its spelling, and of what its functions mean as far as
// types tell. `options`: for the function that is bound.
std::vector<Diagnostic> assembler_problems(const assembly::Module& module,
                                           assembly::BindOptions options);
// The kernel for a chip: a .pto file is read, bound and planned; a C++ source is built first; of
// what `ptosim build` made the device images are taken. Throws DiagnosticError.
LoadedKernel load_kernel(const KernelChoice& choice, const ChipModel& chip);

// All kernels of a C++ source, or of what `ptosim build` made. Throws DiagnosticError.
std::vector<std::unique_ptr<Kernel>> load_native_kernels(const KernelChoice& choice,
                                                         const ChipModel& chip);

}  // namespace ptosim
