// Runs a command and collects the findings of all processes that it starts.
#pragma once

#include <string>
#include <vector>

namespace ptosim::cli {

// Runs the command to its end in the place of this process: signals are forwarded to it, and a signal that ends it ends
// this process. Then writes the findings of its processes to `report` (empty: nowhere). Returns its exit code, or
// kKernelWrong if that is 0 and there are findings. `hint` is for a command that cannot be run.
int run_tree(const std::vector<std::string>& words, const std::string& report, const char* hint);

// Replaces this process by the command. Throws DiagnosticError (I02) if it cannot be run.
[[noreturn]] void become(const std::vector<std::string>& words, const char* hint);

}  // namespace ptosim::cli
