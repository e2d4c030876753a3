// The file or text of a kernel, read once: to choose the chip, and to load the kernel for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/assembly/plan/planner.h"
#include "isa/assembly/syntax/ast.h"
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
    bool report_branches = false;           // likewise, for runs of other paths
    std::string cores{};                    // aic, aiv or mix; empty: as the source asks
    bool insert_flags = false;              // into a .pto kernel that has none
    std::string emit{};  // a file for the explicit form of a .pto kernel; may be empty
    assembly::PlanPolicy plan = assembly::PlanPolicy::kInOrder;
    Saturation saturation = Saturation::kOff;  // of conversions of a .pto text that have no mode
};

// True for C++ source, by the name of the file.
bool is_source(const std::string& path);
// True for .pto text, by the name of the file and its first bytes.
bool is_assembly(const std::string& path);

class KernelSource {
 public:
    enum class Kind : uint8_t {
        kAssembly,  // .pto text
        kCpp,       // C++ source, which is built
        kBinary,    // made by `ptosim build`
    };
    explicit KernelSource(KernelChoice choice) : choice_{std::move(choice)} {}

    const KernelChoice& choice() const { return choice_; }
    Kind kind();
    // The .pto text as it is written, and with its parameters for a chip as operations. The module
    // lives until the next call for a chip that gives its parameters other values. Both throw
    // DiagnosticError.
    const std::string& text();
    const assembly::Module& module(const ChipModel& chip);

 private:
    KernelChoice choice_;
    std::optional<Kind> kind_;
    std::optional<std::string> text_;
    std::unique_ptr<assembly::Module> module_;
};

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
ChipChoice chip_for(KernelSource& source, const std::string& chosen,
                    const std::vector<std::string>& overrides);

}  // namespace ptosim
