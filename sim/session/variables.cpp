#include "sim/session/variables.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/session/option_rows.h"

extern char** environ;

namespace ptosim {
namespace {

// Variables that no option of a run has. docs/running.md describes them. A variable that is missing here is reported as
// unknown.
constexpr std::string_view kVariables[] = {
    "PTOSIM_ASCENDC",     "PTOSIM_ACCESS_SPECS", "PTOSIM_AICPU_SERVER", "PTOSIM_CACHE",
    "PTOSIM_CHIP_NUMBER", "PTOSIM_CXX",          "PTOSIM_FINDINGS",     "PTOSIM_GYM_VENV",
    "PTOSIM_HOST_CXX",    "PTOSIM_INCLUDE",      "PTOSIM_KEEP_TASK",    "PTOSIM_METADEF",
    "PTOSIM_MODELS",      "PTOSIM_MPI",          "PTOSIM_OPBASE",       "PTOSIM_OPERATORS",
    "PTOSIM_PLATFORM",    "PTOSIM_PROGRAM",      "PTOSIM_PTO_HEADERS",  "PTOSIM_SYSTEM",
    "PTOSIM_VECTORS",     "PTOSIM_LOCKSTEP",     "PTOSIM_WATCHDOG",
};

}  // namespace

std::string unknown_variables() {
    std::vector<std::string_view> accepted(std::begin(kVariables), std::end(kVariables));
    for (const OptionRow& row : option_rows())
        if (!row.variable.empty()) accepted.push_back(row.variable);
    std::string text;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view entry = *variable;
        const std::string_view name = entry.substr(0, entry.find('='));
        if (!name.starts_with("PTOSIM_") || std::count(accepted.begin(), accepted.end(), name) != 0)
            continue;
        const std::string similar = closest(name, accepted);
        text += "warning: unknown variable " + std::string(name) +
                (similar.empty() ? "" : "; did you mean " + similar + "?") + "\n";
    }
    return text;
}

}  // namespace ptosim
