// The file or text of a kernel, read once: to choose the chip, and to load the kernel for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/assembly/plan/planner.h"
#include "isa/assembly/syntax/ast.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim {

// Options for making a kernel from its file.
struct KernelChoice {
    std::string path;
    std::optional<std::string> text{};      // .pto text that is not in a file; `path` is its name
    std::string entry{};                    // name of the function; may be empty if there is only one
    std::vector<std::string> parameters{};  // NAME=VALUE for a .pto kernel that declares some
    std::vector<std::string> defines{};     // NAME[=VALUE] for a C++ source
    std::vector<std::string> includes{};    // folders with its headers
    bool report_accesses = false;           // C++ source: report accesses by plain pointers, for checkers
    bool report_branches = false;           // C++ source: report branches, for runs by other paths
    std::string cores{};                    // aic, aiv or mix; empty: as declared in the source
    bool for_debugger = false;              // keep the names of a .pto kernel, and the variables of a C++ source
    bool insert_flags = false;              // into a .pto kernel without flags
    std::string emit{};  // a file for the explicit form of a .pto kernel; may be empty
    assembly::PlanPolicy plan = assembly::PlanPolicy::kInOrder;
    Saturation saturation = Saturation::kOff;  // for conversions of a .pto text without a mode
};

// Forms of kernel files. Only these functions look at the end of a file's name.
// True for C++ source, by the name of the file.
bool is_source(const std::string& path);
// True for .pto text, by the name of the file and its first bytes.
bool is_assembly(const std::string& path);
// True if the name of the file is the usual one of .pto text, for lists of a folder's files.
bool has_assembly_name(const std::string& path);

class KernelSource {
 public:
    enum class Kind : uint8_t {
        kAssembly,  // .pto text
        kCpp,       // C++ source, which is built
        kBinary,    // made by `ptosim build`
        kTask,      // a folder: a kept task of a program (kept_task.h)
    };
    explicit KernelSource(KernelChoice choice) : choice_{std::move(choice)} {}

    const KernelChoice& choice() const { return choice_; }
    Kind kind();
    // The unchanged .pto text; and the text with its parameters for a chip, parsed into operations. The module lives
    // until the next call for a chip that gives its parameters other values. Both throw DiagnosticError.
    const std::string& text();
    const assembly::Module& module(const ChipModel& chip);

 private:
    KernelChoice choice_;
    std::optional<Kind> kind_;
    std::optional<std::string> text_;
    std::unique_ptr<assembly::Module> module_;
};

// The chip on which a kernel runs. Only chip_for() decides this.
struct ChipChoice {
    std::string chip;
    // Its model, if it had to be read for the choice.
    std::optional<ChipModel> model;
    // Set if the file declares an architecture that is unknown or differs from the chosen chip's.
    std::optional<Diagnostic> warning;
};
// Returns `chosen` unless it is empty. Otherwise returns the default chip of the architecture that the kernel's file
// declares (pto.target_arch) or was built for, or of a2a3 if the file declares none. Throws DiagnosticError for an
// unusable file or chip.
ChipChoice chip_for(KernelSource& source, const std::string& chosen,
                    const std::vector<std::string>& overrides);

}  // namespace ptosim
