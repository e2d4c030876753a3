// The command line of the assembler, as used in public projects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/assembly/plan/planner.h"
#include "isa/core/pipe.h"

namespace ptosim::toolkit {

// Effect of an option in this program.
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
    kIgnored,  // without an equivalent here
    kRefused,
};

// All options as a Markdown table.
std::string ptoas_options_markdown();

// Whether the assembler chooses the addresses of tiles.
enum class PtoasLevel : uint8_t {
    kPlanned,    // level1, level2: by the assembler; the text has none
    kAddressed,  // level3: the text has all
};

struct PtoasOptions {
    std::string input = "-", output = "-";
    std::optional<Arch> arch;  // empty: the module's, or a2a3
    PtoasLevel level = PtoasLevel::kPlanned;
    assembly::PlanPolicy plan = assembly::PlanPolicy::kInOrder;
    bool insert_flags = false;
    bool emit_text = false;
    bool version = false, help = false;
};

// Throws DiagnosticError (H04), which names the option.
PtoasOptions parse_ptoas(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
