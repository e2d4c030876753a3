// ptosim mcp: tools for agents, by the Python package (docs/python.md).
#include "sim/faces/cli/python_command.h"

namespace ptosim::cli {
namespace {

// The parser in Python has the same options (tests/python/mcp_test.py).
constexpr const char* kMcpUsage =
    R"(Usage: ptosim mcp [options]

A Model Context Protocol server on standard input and output: agents check, run, compare and explain
kernels. Needs python3, 3.10 or later, with NumPy and the package mcp.

  --root DIR             calls may name files below it (default: none, they hold texts)
  --timeout SECONDS      that a run may take (default: 10)
  --memory MIB           that a run may take (default: 2048)
  --no-sandbox           trust compiled kernels with this machine
)";

}  // namespace

void add_mcp(const Command& app, Action& action) {
    add_python_command(app, action,
                       {"mcp", "Serve agents over the Model Context Protocol", kMcpUsage});
}

}  // namespace ptosim::cli
