#include "sim/faces/cli/run_options.h"

#include <limits>
#include <sstream>

#include "isa/core/diagnostic.h"
#include "sim/check/registry.h"

namespace ptosim::cli {

void add_run_options(const Command& command, RunOptions& options) {
    command
        .add_option("KERNEL", options.kernel,
                    "A .pto file, a C++ kernel source, or an output of ptosim build")
        .required();
    command.add_option("--chip", options.chip,
                       "A chip's name, or a chip file; default: ascend910b1 or ascend950pr, by the kernel's "
                       "architecture");
    command.add_option("--set", options.overrides, "Override one chip parameter")
        .type_name("PATH=VALUE")
        .allow_extra_args(false);
    command.add_option("--param", options.parameters, "Set a parameter that the kernel file declares")
        .type_name("NAME=VALUE")
        .allow_extra_args(false);
    command.add_option("--define", options.defines, "Define a macro for a C++ kernel")
        .type_name("NAME[=VALUE]")
        .allow_extra_args(false);
    command.add_option("-I,--include", options.includes, "Search a folder for headers of a C++ kernel")
        .type_name("DIR")
        .allow_extra_args(false);
    command
        .add_option("--core", options.cores, "Cores that a C++ kernel runs on; default: as its source declares")
        .one_of({"aic", "aiv", "mix"});
    command.add_option("--entry", options.entry, "The function to run").type_name("NAME");
    command
        .add_option("--blocks", options.blocks,
                    "Number of blocks; default: as many as run at once, or 1 if the kernel never "
                    "reads its block index")
        .range(1, std::numeric_limits<int32_t>::max());
    command
        .add_option("--warm", options.warm,
                    "Untimed launches before the measured one, to warm up L2")
        .range(0, 1000);
    command
        .add_option("--arg", options.arguments,
                    "An argument, one per parameter, in order: in=x.npy, out=128x256xf32[:y.npy], inout=x.npy[:y.npy], "
                    "rand=128x256xf16[:SEED], zeros=128x256xf32, i32=5, f32=0.5")
        .type_name("SPEC")
        .allow_extra_args(false);
    command
        .add_option("--bypass-l2", options.bypass_l2,
                    "Parameters whose arrays bypass L2, counted from 0")
        .type_name("N")
        .delimiter(',')
        .allow_extra_args(false);
    command
        .add_option("--golden", options.goldens,
                    "Compare parameter N with a file, bit for bit or within tolerances")
        .type_name("N=FILE.npy[:RTOL,ATOL]")
        .allow_extra_args(false);
    command
        .add_option("--sync", options.sync,
                    "Obey the kernel's flags, order pipes by a scoreboard, or insert flags as an "
                    "assembler does; default: explicit if the kernel has flags, else auto")
        .one_of(words_of(kSyncWords));
    command
        .add_option("--emit", options.emit,
                    "Write the kernel with the addresses of its tiles and, with --sync insert, its flags")
        .type_name("FILE");
    command
        .add_option(
            "--plan", options.plan,
            "Placement of tiles without an address: legacy places them in order and shares memory if needed; modern "
            "places the largest first and shares at the lowest cost")
        .one_of({"legacy", "modern"})
        .capture_default_str();
    command
        .add_option("--assembler", options.assembler,
                    "Assembler release, which determines the default saturation mode of tcvt: v0.60 off, v0.63 on")
        .one_of({"v0.60", "v0.63"})
        .capture_default_str();
    command.add_option("--numerics", options.numerics, "Numeric profile")
        .one_of(numerics_words())
        .capture_default_str();
    command.add_option("--mode", options.mode, "Data and time, time only, or data only")
        .one_of(words_of(kModeWords))
        .capture_default_str();
    command
        .add_option("--memory", options.memory,
                    "End of arrays: the end of their device pages (an access beyond the array is a warning, and a "
                    "finding of check), or their last byte")
        .one_of(words_of(kMemoryWords))
        .capture_default_str();
    command
        .add_option("--max-instructions", options.max_instructions,
                    "Stop a launch that issues more instructions, as in an endless loop")
        .range(uint64_t{1}, kMostOfAnything)
        .capture_default_str();
    command
        .add_option("--max-cycles", options.max_cycles,
                    "Stop a launch that takes more cycles, or more scalar operations")
        .range(uint64_t{1}, kMostOfAnything)
        .capture_default_str();
    command.add_option("--trace", options.trace, "Record the run into a folder").type_name("DIR");
    command
        .add_option("--trace-formats", options.trace_formats,
                    "Files to write next to the recording: html, report, agent, chrome, ..., all or none")
        .type_name("LIST")
        .capture_default_str();
    command
        .add_option("--keep-data", options.keep_data,
                    "Record up to this many MiB of operand values, which 'ptosim report' and the page show")
        .type_name("MIB")
        .range(uint64_t{1}, kMostKeptData);
    command
        .add_option("--threads", options.threads,
                    "Threads that compute data; default: all of the host. Results do not depend on it")
        .range(1, 1024);
    command.add_option("--seed", options.seed, "Seed of all random data");
    command
        .add_option("--scope", options.scope_file,
                    "Add the lines that this run reached to a file, and list those that no run has reached")
        .type_name("FILE")
        .each([&options](const std::string&) { options.scope = true; });
    command
        .add_option("--schedules", options.schedules,
                    "Also run N other legal timings, and compare every bit and finding")
        .type_name("N")
        .range(0, static_cast<int>(kMostSchedules))
        .each([&options](const std::string&) { options.schedules_if_cheap = false; });
    command
        .add_option("--paths", options.paths,
                    "Also check branches and iteration counts that the arguments do not reach, in at most N runs; 0: "
                    "none")
        .type_name("N")
        .range(0, static_cast<int>(kMostPathRuns))
        .capture_default_str();
    command.add_option("--json", options.json,
                       "Write the result as JSON to a file, or - for standard output");
    command.add_flag("--dry-run", options.dry_run,
                     "Read, bind, plan and verify the kernel, but do not run it. KERNEL may be a folder");
    command.add_flag(
        "--strict", options.strict,
        "Report .pto constructs that the assembler (PTOAS) rejects as errors, not warnings");
    command
        .add_option("--format", options.format,
                    "Format of diagnostics: text goes to standard error, the others to standard output")
        .one_of({"text", "json", "sarif", "junit"})
        .capture_default_str();
    command.add_option("--report", options.report, "Write the diagnostics to a file")
        .type_name("FILE");
    command
        .add_option(
            "--check", options.check,
            "Checkers, separated by commas: " + check::checker_words())
        .type_name("LIST")
        .capture_default_str();
    command
        .add_option("--suppress", options.suppress,
                    "File of known findings to suppress, with lines CODE FILE[:LINE]")
        .type_name("FILE");
    command
        .add_option("--check-memory", options.check_memory,
                    "Limit of the checkers' shadow memory in MiB")
        .range(1, static_cast<int>(kMostCheckMemory))
        .capture_default_str();
    command.add_flag("-v,--verbose", options.verbose, "Also print each core, more advice, and the grades of the figures");
    command.add_flag("--wasted", options.wasted,
                     "Also list redundant waits and barriers (not findings)");
}

}  // namespace ptosim::cli
