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

// A missing package is reported as an ordinary error without a traceback. If NumPy is missing, the
// other programs named python3 in PATH are tried first, because an environment's own Python often
// lacks the system's packages. The words before the command's are this text, the programs that have
// been tried, and the message of the first.
constexpr const char* kStart = R"py(
import os, shutil, sys
text, tried, message = sys.argv.pop(1), sys.argv.pop(1).split(":"), sys.argv.pop(1)
try:
    from ptosim.__main__ import main
except ImportError as error:
    message = message or str(error)
    tried.append(shutil.which("python3"))
    for folder in os.get_exec_path() if "NumPy" in str(error) else ():
        path = os.path.join(folder, "python3")
        if path not in tried and os.access(path, os.X_OK):
            os.execv(path, [path, "-c", "import sys; exec(sys.argv[1])", text, ":".join([*tried, path]), message, *sys.argv[1:]])
    print(f"error: {message} [I02]", file=sys.stderr)
    sys.exit(2)
sys.exit(main())
)py";

}  // namespace

int run_python_command(const std::string& name, const std::vector<std::string>& words) {
    const std::string folder = python_folder();
    if (!std::filesystem::exists(folder + "/ptosim/__main__.py"))
        fail_input("I01", "the Python package was not found in " + folder,
                   "copy the complete output of `cmake --install build --prefix FOLDER`");
    std::vector<std::string> command{"python3", "-c", "import sys; exec(sys.argv[1])", kStart, "",
                                     "",        name};
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
