// The compiler for the AICPU, whose code runs on processors of this machine here.
#pragma once

#include <string>
#include <vector>

namespace ptosim::toolkit {

// words[0] is a tool (g++, gcc, objcopy), the others are its arguments. Becomes the tool of this machine. Throws
// DiagnosticError: H04 for another tool, H02 if there is none.
int run_aicpu_tool(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
