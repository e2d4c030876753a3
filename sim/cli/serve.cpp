// ptosim serve: the server of the Python package (sim/python/SERVE.md), which uses this program.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "isa/core/diagnostic.h"
#include "sim/cli/commands.h"
#include "sim/model/installation.h"

namespace ptosim::cli {
namespace {

// Also where there is no Python; its own parser has the same options (tests/python/serve_test.py).
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

// What is missing is an error like others, not a traceback.
constexpr const char* kStart = R"(
import sys
try:
    from ptosim.__main__ import main
except ImportError as error:
    print(f"error: {error} [I02]", file=sys.stderr)
    sys.exit(2)
sys.exit(main())
)";

int serve(const std::vector<std::string>& words) {
    if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
        std::cout << kUsage;
        return kOk;
    }
    const std::string folder = python_folder();
    if (!std::filesystem::exists(folder + "/ptosim/serve.py"))
        fail_input("I01", "the Python package is not in " + folder,
                   "copy all that `cmake --install build --prefix FOLDER` leaves");
    std::vector<std::string> command{"python3", "-c", kStart, "serve"};
    command.insert(command.end(), words.begin(), words.end());
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const char* const path = std::getenv("PYTHONPATH");
    const std::string others = path != nullptr && *path != 0 ? ":" + std::string(path) : "";
    setenv("PYTHONPATH", (folder + others).c_str(), 1);
    setenv("PTOSIM_PROGRAM", program_file().c_str(), 1);
    std::cout.flush();
    execvp(arguments[0], arguments.data());
    fail_input("I02", std::string("python3 cannot be run: ") + std::strerror(errno),
               "the server is a Python program: install Python 3.9 or later, and NumPy");
}

}  // namespace

void add_serve(const Command& app, Action& action) {
    const Command command =
        app.add_subcommand("serve", "Answer requests to judge kernels, as JSON lines");
    command.take_all_words();
    command.callback(
        [command, &action] { action = [words = command.remaining()] { return serve(words); }; });
}

}  // namespace ptosim::cli
