#include "sim/cli/run_options.h"

#include <limits>
#include <sstream>

#include "isa/core/diagnostic.h"
#include "sim/check/registry.h"

namespace ptosim::cli {

void add_run_options(const Command& command, RunOptions& options) {
    command
        .add_option("KERNEL", options.kernel,
                    "A .pto file, a C++ kernel source, or what ptosim build made")
        .required();
    command.add_option("--chip", options.chip,
                       "A chip's name, or a chip file; default: that of the architecture that the "
                       "kernel is made for, ascend910b1 or ascend950pr");
    command.add_option("--set", options.overrides, "Override one chip parameter")
        .type_name("PATH=VALUE")
        .allow_extra_args(false);
    command.add_option("--param", options.parameters, "A parameter that the kernel's file declares")
        .type_name("NAME=VALUE")
        .allow_extra_args(false);
    command.add_option("--define", options.defines, "A macro of a C++ kernel")
        .type_name("NAME[=VALUE]")
        .allow_extra_args(false);
    command.add_option("-I,--include", options.includes, "A folder with headers of a C++ kernel")
        .type_name("DIR")
        .allow_extra_args(false);
    command
        .add_option("--core", options.cores, "Which cores a C++ kernel is for; default: as it asks")
        .one_of({"aic", "aiv", "mix"});
    command.add_option("--entry", options.entry, "Which function of the file").type_name("NAME");
    command
        .add_option("--blocks", options.blocks,
                    "Number of blocks; default: as many as run at once, or 1 if the kernel never "
                    "asks for its block index")
        .range(1, std::numeric_limits<int32_t>::max());
    command
        .add_option("--warm", options.warm,
                    "Launches before the one that counts, in time only: L2 holds what they leave")
        .range(0, 1000);
    command
        .add_option("--arg", options.arguments,
                    "One per parameter, in order: in=x.npy, out=128x256xf32[:y.npy], "
                    "inout=x.npy[:y.npy], rand=128x256xf16[:SEED], zeros=128x256xf32, i32=5, "
                    "f32=0.5")
        .type_name("SPEC")
        .allow_extra_args(false);
    command
        .add_option("--bypass-l2", options.bypass_l2,
                    "Parameters whose arrays bypass L2, which keeps nothing of "
                    "them")
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
                    "Write the kernel with the addresses of its tiles, and with what --sync insert "
                    "inserts")
        .type_name("FILE");
    command
        .add_option(
            "--plan", options.plan,
            "How tiles without an address are placed: in order, sharing if they must, or the "
            "largest first, sharing where it costs least")
        .one_of({"legacy", "modern"})
        .capture_default_str();
    command
        .add_option("--assembler", options.assembler,
                    "Release of the assembler, which states the saturation mode of a tcvt without "
                    "one: v0.60 off, v0.63 on")
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
                    "Where arrays end: with the pages that a device has for them (an access beyond "
                    "one is a warning, and a finding of check), or with their last byte")
        .one_of(words_of(kMemoryWords))
        .capture_default_str();
    command
        .add_option("--max-instructions", options.max_instructions,
                    "A launch that issues more is ended: a loop has no end")
        .range(uint64_t{1}, kMostOfAnything)
        .capture_default_str();
    command
        .add_option("--max-cycles", options.max_cycles,
                    "A launch that takes more, or does more scalar operations, is ended")
        .range(uint64_t{1}, kMostOfAnything)
        .capture_default_str();
    command.add_option("--trace", options.trace, "Record the run into a folder").type_name("DIR");
    command
        .add_option("--trace-formats", options.trace_formats,
                    "What to write into it beside the recording: html, report, agent, chrome, "
                    "..., all or none")
        .type_name("LIST")
        .capture_default_str();
    command
        .add_option("--keep-data", options.keep_data,
                    "MiB of what instructions read and write that the recording keeps: 'ptosim "
                    "report' and the page show it")
        .type_name("MIB")
        .range(uint64_t{1}, kMostKeptData);
    command
        .add_option("--threads", options.threads,
                    "Threads that compute data, as many as the host has by default; no result "
                    "depends on their number")
        .range(1, 1024);
    command.add_option("--seed", options.seed, "Seed of everything random");
    command
        .add_option("--scope", options.scope_file,
                    "Add what this run has reached to a file, and say what none of its runs has")
        .type_name("FILE")
        .each([&options](const std::string&) { options.scope = true; });
    command
        .add_option("--schedules", options.schedules,
                    "Also run so many other legal timings, and compare every bit and finding")
        .type_name("N")
        .range(0, static_cast<int>(kMostSchedules))
        .each([&options](const std::string&) { options.schedules_if_cheap = false; });
    command
        .add_option("--paths", options.paths,
                    "Also run, under the checkers, arms of branches and numbers of iterations that "
                    "the arguments do not lead to, in so many runs at most; 0: none")
        .type_name("N")
        .range(0, static_cast<int>(kMostPathRuns))
        .capture_default_str();
    command.add_option("--json", options.json,
                       "Write the result as JSON to a file, or - for standard output");
    command.add_flag("--dry-run", options.dry_run,
                     "Read, bind, plan and verify; run nothing. KERNEL may be a folder");
    command.add_flag(
        "--strict", options.strict,
        "What the assembler (PTOAS) refuses of a .pto file is an error, not a warning");
    command
        .add_option("--format", options.format,
                    "Of diagnostics: text to standard error, the others to standard output")
        .one_of({"text", "json", "sarif", "junit"})
        .capture_default_str();
    command.add_option("--report", options.report, "Write the diagnostics to a file instead")
        .type_name("FILE");
    command
        .add_option(
            "--check", options.check,
            "Checkers, separated by commas: " + check::checker_words())
        .type_name("LIST")
        .capture_default_str();
    command
        .add_option("--suppress", options.suppress,
                    "Findings that are known: lines of CODE FILE[:LINE]")
        .type_name("FILE");
    command
        .add_option("--check-memory", options.check_memory,
                    "MiB that the checkers may take for shadow memory")
        .range(1, static_cast<int>(kMostCheckMemory))
        .capture_default_str();
    command.add_flag("--wasted", options.wasted,
                     "Also list waits and barriers that order nothing (no finding)");
}

}  // namespace ptosim::cli
