// The command line of the assembler, as public projects write it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/assembly/plan/planner.h"
#include "isa/core/pipe.h"

namespace ptosim::toolkit {

// What becomes of an option here.
enum class PtoasEffect : uint8_t {
    kOutput,   // -o
    kArch,     // --pto-arch
    kLevel,    // --pto-level
    kPlanner,  // --plan-memory-impl
    kFlags,    // flags are inserted
    kText,     // the explicit form instead of C++
    kBackend,  // --pto-backend
    kVersion,
    kHelp,
    kIgnored,  // nothing here corresponds
    kRefused,
};

// All options as a table for people.
std::string ptoas_options_markdown();

// Who chooses the addresses of tiles.
enum class PtoasLevel : uint8_t {
    kPlanned,    // level1, level2: the assembler; none is given
    kAddressed,  // level3: the text gives all
};

struct PtoasOptions {
    std::string input = "-", output = "-";
    std::optional<Arch> arch;  // none: the module's own, or a2a3
    PtoasLevel level = PtoasLevel::kPlanned;
    assembly::PlanPolicy plan = assembly::PlanPolicy::kInOrder;
    bool insert_flags = false;
    bool emit_text = false;
    bool version = false, help = false;
};

// Throws DiagnosticError (H04), which names the option.
PtoasOptions parse_ptoas(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
