// Commands that the Python package does (sim/python/ptosim).
#pragma once

#include <string>
#include <vector>

#include "sim/cli/commands.h"

namespace ptosim::cli {

struct PythonCommand {
    const char* name;
    const char* help;   // a line of `ptosim --help`
    const char* usage;  // what its --help prints, also where there is no Python
};

void add_python_command(const Command& app, Action& action, const PythonCommand& row);
// Does not return where the package can be started.
int run_python_command(const std::string& name, const std::vector<std::string>& words);

}  // namespace ptosim::cli
