// ptosim serve: starts the server of the Python package (docs/python.md), which uses this program.
#include "sim/faces/cli/python_command.h"

namespace ptosim::cli {
namespace {

// The parser in Python has the same options (tests/python/serve_test.py).
constexpr const char* kUsage =
    R"(Usage: ptosim serve [options]

Judges kernels for programs that write them: a request is a line of JSON, and so is its verdict. Needs
python3, 3.9 or later, with NumPy.

  --socket PATH          listen at this Unix socket (default: standard input and output)
  --root DIR             requests may name files below it (default: none, they hold texts)
  --jobs N               requests at a time (default: as many as processors)
  --references FILE      a Python file of yours: its functions compute goldens
  --results DIR          keep the result JSON of each request; verdicts name the file
  --timeout SECONDS      that a run may take (default: 10)
  --compile-timeout SECONDS  that compiling a kernel may (default: 60)
  --request-timeout SECONDS  that a request may take with all its runs (default: 300)
  --memory MIB           that a run may take beyond an idle one (default: 2048)
  --cpu SECONDS          processor time of a run (default: 60)
  --line MIB             that a line of requests may have (default: 16)
  --clients N            of a socket at a time (default: 32)
  --no-sandbox           trust compiled kernels with this machine
)";

}  // namespace

void add_serve(const Command& app, Action& action) {
    add_python_command(app, action,
                       {"serve", "Answer requests to judge kernels, as JSON lines", kUsage});
}

}  // namespace ptosim::cli
