#include "sim/faces/toolkit/npusim.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <optional>

#include "isa/core/diagnostic.h"
#include "sim/faces/toolkit/bisheng_options.h"
#include "sim/faces/toolkit/layout.h"
#include "sim/faces/toolkit/recorded_program.h"
#include "sim/faces/toolkit/tool_options.h"
#include "sim/files/files.h"
#include "traces/record/recording_file.h"
#include "traces/write/cluster_traces.h"
#include "traces/write/insight.h"

namespace ptosim::toolkit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTool = "npusim";
constexpr const char* kRecordingFolder = "dump";
constexpr const char* kLog = "cannsim.log";

enum class NpusimEffect : uint8_t {
    kChip,
    kOutput,
    kReport,
    kCores,
    kProgramWords,
    kFolder,
    kHelp,
    kIgnored,
    kRefused
};

constexpr std::string_view kWhichCores = "numbers of clusters, separated by commas, or `all`; default: 0";

// From docs/zh/debug/cann_sim.md of cann/ops-math, and calls in pto-kernels and cann/pypto.
constexpr auto kNpusimOptions = [] {
    using enum NpusimEffect;
    return std::to_array<ToolOption<NpusimEffect>>({
        {"soc-version", true, kChip, "record: the chip"},
        {"s", true, kChip, "as `--soc-version`"},
        {"output", true, kOutput,
         "the folder for `cannsim_...` or, of report, for `report`; default: this one"},
        {"o", true, kOutput, "as `--output`"},
        {"gen-report", false, kReport, "record: make the report after the run"},
        {"g", false, kReport, "as `--gen-report`"},
        {"core-id", true, kCores, kWhichCores},
        {"n", true, kCores, kWhichCores},
        {"user-option", true, kProgramWords, "record: further words of the program"},
        {"u", true, kProgramWords, "as `--user-option`"},
        {"export", true, kFolder, "report: the folder of an earlier run"},
        {"e", true, kFolder, "as `--export`"},
        {"help", false, kHelp, "this table"},
        {"h", false, kHelp, "as `--help`"},
    });
}();

struct Options {
    std::vector<std::string> command;
    std::string chip;
    std::string output = ".";
    std::string recorded;                            // folder of an earlier run
    std::optional<std::vector<unsigned>> cores{{0}};  // nullopt: all
    bool report = false;
    bool help = false;
};

std::optional<std::vector<unsigned>> cores_of(const std::string& text) {
    if (text == "all") return std::nullopt;
    std::vector<unsigned> cores;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        unsigned core = 0;
        const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, core);
        if (error != std::errc() || stop != text.data() + end)
            fail_input("H04", std::string(kTool) + ": --core-id=" + text + " is not a list of numbers or 'all'",
                       std::string(kWhichCores));
        cores.push_back(core);
        begin = end + 1;
    }
    return cores;
}

std::string chip_named(const std::string& name) {
    const std::string chip = chip_of(name);
    if (chip.empty())
        fail_input("H04", std::string(kTool) + ": unknown chip --soc-version=" + name,
                   "Ascend910B1 and the like, Ascend910_93.., Ascend950..");
    return chip;
}

Options parse(const std::vector<std::string>& words) {
    using enum NpusimEffect;
    Options options;
    std::vector<std::string> program_words;
    for (size_t at = 1; at < words.size(); ++at) {
        if (!words[at].starts_with("-")) {
            const std::vector<std::string> program = split_words(words[at]);
            options.command.insert(options.command.end(), program.begin(), program.end());
            continue;
        }
        const auto [row, value] = take_option<NpusimEffect>(kTool, kNpusimOptions, words, at);
        switch (row.effect) {
            case kChip: options.chip = chip_named(value); break;
            case kOutput: options.output = value; break;
            case kReport: options.report = true; break;
            case kCores: options.cores = cores_of(value); break;
            case kProgramWords: program_words = split_words(value); break;
            case kFolder: options.recorded = value; break;
            case kHelp: options.help = true; break;
            case kIgnored:
            case kRefused: break;
        }
    }
    options.command.insert(options.command.end(), program_words.begin(), program_words.end());
    return options;
}

void write_report(const fs::path& recording, const fs::path& folder, const Options& options) {
    const fs::path report = folder / "report";
    const fs::path traces = report / "trace_reports";
    make_folder(traces.string());
    write_insight(read_recording(recording), report / "simulator");
    write_cluster_traces(report / "simulator" / "trace.json", traces, options.cores);
    std::cout << "[INFO] Report saved in " << report.string() << "\n";
}

int record(const Options& options) {
    if (options.command.empty())
        fail_input("H04", std::string(kTool) + ": no program to run", "npusim record PROGRAM -s Ascend950 -g");
    const fs::path folder = make_run_folder("cannsim", options.output);
    // The output goes to the log and to the terminal.
    std::vector<std::string> command = {"bash", "-o", "pipefail", "-c", "\"${@:2}\" 2>&1 | tee -- \"$1\"", "bash",
                                        (folder / kLog).string()};
    command.insert(command.end(), options.command.begin(), options.command.end());
    const int status = run_recorded({kTool, command, folder / kRecordingFolder, options.chip, 0});
    if (fs::exists(folder / kRecordingFolder / kRecordingName)) {
        if (options.report) write_report(folder / kRecordingFolder, folder, options);
    } else if (status == 0) {
        fail_input("H04", std::string(kTool) + ": '" + options.command[0] + "' has launched no kernel",
                   "build it with this toolkit");
    }
    std::cout << "[INFO] Results saved in " << folder.string() << "\n";
    return status;
}

int report(const Options& options) {
    if (options.recorded.empty())
        fail_input("H04", std::string(kTool) + ": report needs the folder of a run",
                   "npusim report -e cannsim_... --core-id all");
    const fs::path folder = options.output == "." ? fs::path(options.recorded) : fs::path(options.output);
    write_report(fs::path(options.recorded) / kRecordingFolder, folder, options);
    return 0;
}

}  // namespace

int run_npusim(const std::vector<std::string>& words) {
    const std::string verb = words.empty() ? "" : words[0];
    const bool named = verb == "record" || verb == "report";
    const Options options = named ? parse(words) : Options{};
    if (options.help || verb == "--help" || verb == "-h") {
        std::cout << "Usage: npusim record PROGRAM [OPTIONS]\n       npusim report -e FOLDER "
                     "[OPTIONS]\n\n"
                     "Runs a program on the simulated chip and writes a trace of each cluster's "
                     "cores.\n\n"
                     "Options:\n\n"
                  << options_table<NpusimEffect>(kNpusimOptions);
        return 0;
    }
    if (!named) fail_input("H04", std::string(kTool) + ": '" + verb + "' is not a command", "npusim record, npusim report");
    return verb == "record" ? record(options) : report(options);
}

}  // namespace ptosim::toolkit
