// ptosim toolkit DIR, and ptosim as PROGRAM WORDS, which the programs in such a folder call.
#include <filesystem>
#include <iostream>
#include <memory>

#include "isa/core/diagnostic.h"
#include "sim/faces/cli/commands.h"
#include "sim/faces/cli/python_command.h"
#include "sim/faces/toolkit/aicpu_compiler.h"
#include "sim/faces/toolkit/bisheng.h"
#include "sim/faces/toolkit/device_linker.h"
#include "sim/faces/toolkit/layout.h"
#include "sim/faces/toolkit/mpirun.h"
#include "sim/faces/toolkit/msprof.h"
#include "sim/faces/toolkit/npusim.h"
#include "sim/faces/toolkit/ptoas.h"
#include "sim/faces/toolkit/pypto_setup.h"

namespace ptosim::cli {
namespace {

struct Program {
    const char* name;
    int (*run)(const std::vector<std::string>& words);
};
int run_op(const std::vector<std::string>& words) { return run_python_command("op", words); }

constexpr Program kPrograms[] = {{"bisheng", &toolkit::run_bisheng},
                                 {"ld.lld", &toolkit::run_device_linker},
                                 {"aicpu", &toolkit::run_aicpu_tool},
                                 {"ptoas", &toolkit::run_ptoas},
                                 {"pypto-setup", &toolkit::run_pypto_setup},
                                 {"msprof", &toolkit::run_msprof},
                                 {"npusim", &toolkit::run_npusim},
                                 {"mpirun", &toolkit::run_mpirun},
                                 {"op", &run_op}};

int run_as(std::vector<std::string> words) {
    std::string names;
    for (const Program& program : kPrograms) {
        if (!words.empty() && words[0] == program.name) {
            words.erase(words.begin());
            return program.run(words);
        }
        names += (names.empty() ? "" : ", ") + std::string(program.name);
    }
    if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
        std::cout << "Usage: ptosim as PROGRAM WORDS\n\n"
                     "Does what this program of a toolkit (ptosim toolkit DIR) does: "
                  << names << ".\n";
        return kOk;
    }
    fail_input(
        "I00",
        "ptosim as: " + (words.empty() ? "the program name is missing"
                                       : "'" + words[0] + "' is not a program of the toolkit"),
        names);
}

}  // namespace

void add_toolkit(const Command& app, Action& action) {
    auto folder = std::make_shared<std::string>();
    auto ascendc = std::make_shared<std::string>();
    const Command command =
        app.add_subcommand("toolkit", "Create a folder that build scripts accept as the toolkit");
    command.add_option("DIR", *folder, "The folder to create; 'source DIR/set_env.sh' activates it")
        .required();
    command.add_option("--ascendc", *ascendc,
                       "A checkout of asc-devkit, whose headers bisheng compiles Ascend C with");
    auto metadef = std::make_shared<std::string>();
    auto opbase = std::make_shared<std::string>();
    command.add_option("--metadef", *metadef,
                       "A checkout of metadef: for operators, with --opbase");
    command.add_option("--opbase", *opbase,
                       "A checkout of opbase, for two-phase calls of operators");
    auto ge = std::make_shared<std::string>();
    command.add_option("--ge", *ge,
                       "A checkout of ge, whose headers build.sh of operator repositories needs");
    command.callback([folder, ascendc, metadef, opbase, ge, &action] {
        action = [folder, ascendc, metadef, opbase, ge]() -> int {
            if (folder->empty())
                fail_input("I00", "DIR is empty", "name the folder to create the toolkit in");
            if (metadef->empty() != opbase->empty() || (!opbase->empty() && ascendc->empty()))
                fail_input("I00", "calls of operators need three checkouts",
                           "name them all: --ascendc, --metadef, --opbase");
            if (!ge->empty() && opbase->empty())
                fail_input("I00", "--ge adds headers for builds of operators",
                           "name --ascendc, --metadef and --opbase, too");
            toolkit::lay_out(*folder, *ascendc, *metadef, *opbase);
            std::cout << "source " << std::filesystem::absolute(*folder).lexically_normal().string()
                      << "/set_env.sh\n";
            if (!opbase->empty())
                return run_python_command(
                    "op", {"--toolkit", *folder, "--ascendc", *ascendc, "--metadef", *metadef,
                           "--opbase", *opbase, "--ge", *ge});
            return kOk;
        };
    });
    const Command as = app.add_subcommand("as", "Run as a program of the toolkit");
    as.take_all_words();
    as.callback([as, &action] { action = [words = as.remaining()] { return run_as(words); }; });
}

}  // namespace ptosim::cli
