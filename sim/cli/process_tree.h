// A command, and the findings of all processes that it starts.
#pragma once

#include <string>
#include <vector>

namespace ptosim::cli {

// Runs the command to its end, as if it had taken the place of this process: signals that this
// process gets go to it, and a signal that ends it ends this process. Then writes the findings of
// its processes to `report` (empty: nowhere). Returns its exit code; if that is 0 and there are
// findings, kKernelWrong. `hint` is for a command that cannot be run.
int run_tree(const std::vector<std::string>& words, const std::string& report, const char* hint);

// Becomes the command. Throws DiagnosticError (I02) if it cannot be run.
[[noreturn]] void become(const std::vector<std::string>& words, const char* hint);

}  // namespace ptosim::cli
