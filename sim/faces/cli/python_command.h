// Commands that the Python package implements (sim/python/ptosim).
#pragma once

#include <string>
#include <vector>

#include "sim/faces/cli/commands.h"

namespace ptosim::cli {

struct PythonCommand {
    const char* name;
    const char* help;   // a line of `ptosim --help`
    const char* usage;  // text of its --help, which is also available without Python
};

void add_python_command(const Command& app, Action& action, const PythonCommand& row);
// Does not return if the package can be started.
int run_python_command(const std::string& name, const std::vector<std::string>& words);

}  // namespace ptosim::cli
