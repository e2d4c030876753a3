// Commands that the Python package implements (sim/python/ptosim): this program passes their words on.
#include "sim/faces/cli/python_command.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "isa/core/diagnostic.h"
#include "sim/machine/model/installation.h"

namespace ptosim::cli {
namespace {

// A missing package is reported as an ordinary error without a traceback.
constexpr const char* kStart = R"(
import sys
try:
    from ptosim.__main__ import main
except ImportError as error:
    print(f"error: {error} [I02]", file=sys.stderr)
    sys.exit(2)
sys.exit(main())
)";

}  // namespace

int run_python_command(const std::string& name, const std::vector<std::string>& words) {
    const std::string folder = python_folder();
    if (!std::filesystem::exists(folder + "/ptosim/__main__.py"))
        fail_input("I01", "the Python package was not found in " + folder,
                   "copy the complete output of `cmake --install build --prefix FOLDER`");
    std::vector<std::string> command{"python3", "-c", kStart, name};
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
               "`ptosim " + name + "` is a Python program: install Python 3.9 or later, and NumPy");
}

void add_python_command(const Command& app, Action& action, const PythonCommand& row) {
    const Command command = app.add_subcommand(row.name, row.help);
    command.take_all_words();
    command.callback([command, row, &action] {
        action = [words = command.remaining(), row]() -> int {
            if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
                std::cout << row.usage;
                return kOk;
            }
            return run_python_command(row.name, words);
        };
    });
}

}  // namespace ptosim::cli
