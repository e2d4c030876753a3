// ptosim build SOURCE... -o OUT
#include "sim/compile/build.h"
#include "sim/machine/model/installation.h"

#include <iostream>

#include "sim/faces/cli/commands.h"

namespace ptosim::cli {
namespace {

constexpr const char* kBuildUsage =
    R"(Usage: ptosim build SOURCE... -o OUT [options] [compiler flags]
       ptosim build --cflags | --libs

Compiles C++ kernels and their host program; OUT runs by itself on the simulated chip. An OUT that
ends in .so is a library, for 'ptosim run' and for other programs.

  --arch a2a3|a5        what the kernels are compiled for (default a2a3)
  --core aic|aiv|mix    for which cores (default: as the source asks)
  --cxx COMPILER        g++ or clang++ (default: CXX, or c++)
  --pto-headers DIR     compile kernels with a tile library's own headers (DIR/pto/pto-inst.hpp): they run
                        on the level of intrinsics; clang++ 19 or newer (PTOSIM_PTO_HEADERS)
  --ascendc DIR         compile Ascend C with the headers of a checkout of asc-devkit: it runs on the level of
                        intrinsics; clang++ 19 or newer (PTOSIM_ASCENDC)
  --enable-simt         kernels are the code of one thread, launched as k<<<grid, block, dynamic_ub, stream>>>(...)
                        (a5, with --ascendc)
  --report-branches     kernels report their branches and comparisons: for --paths of ptosim check
  --report-accesses     kernels report loads and stores by plain pointers: for PTOSIM_CHECK=race and cache
  --jobs N              commands at once
  --work DIR            intermediate files (default: .ptosim beside OUT)
  --verbose             print the commands
  --cflags, --libs      print what other build systems need to compile and link a host program

The program OUT obeys PTOSIM_CHIP, PTOSIM_SET, PTOSIM_TRACE, PTOSIM_CHECK, PTOSIM_NUMERICS,
PTOSIM_MODE, PTOSIM_SYNC, PTOSIM_JSON and PTOSIM_WATCHDOG.
)";

int run_build(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        if (word == "--help" || word == "-h") {
            std::cout << kBuildUsage;
            return kOk;
        }
        if (word == "--cflags" || word == "--libs") {
            std::cout << (word == "--cflags" ? "-I" + include_folder()
                                             : "-L" + library_folder() + " -lptosim -Wl,-rpath," +
                                                   library_folder())
                      << "\n";
            return kOk;
        }
    }
    const BuildOptions options = parse_build(words);
    if (build(options) == 0) std::cout << options.output << " is up to date\n";
    return kOk;
}

}  // namespace

void add_build(const Command& app, Action& action) {
    const Command command =
        app.add_subcommand("build", "Compile C++ kernels and their host program for the simulator");
    command.take_all_words();
    command.callback([command, &action] {
        action = [words = command.remaining()] { return run_build(words); };
    });
}

}  // namespace ptosim::cli
