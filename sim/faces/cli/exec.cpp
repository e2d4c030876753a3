// ptosim simpler-setup --simpler CHECKOUT, ptosim exec [options] -- COMMAND: programs of
// hw-native-sys/simpler, unmodified (docs/programs.md).
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <span>
#include <sstream>

#include "isa/core/arch.h"
#include "isa/core/diagnostic.h"
#include "sim/compile/compile_cache.h"
#include "sim/faces/cli/commands.h"
#include "sim/faces/cli/process_tree.h"
#include "sim/files/files.h"
#include "sim/files/json.h"
#include "sim/files/sha256.h"
#include "sim/machine/model/chip_model.h"
#include "sim/machine/model/installation.h"
#include "sim/native/accesses.h"
#include "sim/session/kept_task.h"
#include "sim/session/options.h"
#include "traces/write/chips_trace.h"

namespace ptosim::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kExecUsage =
    R"(Usage: ptosim exec [options] [--] COMMAND [ARGUMENT]...

Runs a program of simpler or PyPTO, e.g. 'python test_vector_example.py -p a2a3sim', with this simulator
as its platforms a2a3sim and a5sim, and a2a3 and a5, also in the processes that it starts.
'ptosim simpler-setup' goes before, once.

  --chip NAME|FILE      the chip (default: that of the platform's architecture)
  --set PATH=VALUE      override one chip parameter
  --system NAME|FILE    the chips of a program of several have one clock, and links of this system
  --trace DIR           record the run: program.md (what limits it), program.json (tasks), report.html
                        (instructions), ...
  --trace-formats LIST  which files to make from the recording
  --check LIST          look for bugs: all, or checkers by name ('ptosim help run')
  --mode MODE           full or timing
  --numerics PROFILE    ieee, a2a3, a5, a5-templates, or chip: that of the chip's architecture
  --keep-task TASK=DIR  keep a task for 'ptosim debug DIR': r0t5=DIR, a block r0t5:3=DIR, or by kernel add=DIR,
                        the fifth one add:4=DIR
  --json FILE           the result as JSON
  --report FILE         findings of all processes: .sarif, .json, .xml (JUnit), else text
)";

// Variable that an option sets. A repeated option appends to it.
struct Variable {
    const char* option;
    const char* variable;
    const char* separator;  // null: the last value replaces earlier ones
};
constexpr Variable kVariables[] = {
    {"--chip", "PTOSIM_CHIP", nullptr},
    {"--set", "PTOSIM_SET", ";"},
    {"--system", "PTOSIM_SYSTEM", nullptr},
    {"--trace", "PTOSIM_TRACE", nullptr},
    {"--trace-formats", "PTOSIM_TRACE_FORMATS", nullptr},
    {"--check", "PTOSIM_CHECK", ","},
    {"--mode", "PTOSIM_MODE", nullptr},
    {"--numerics", "PTOSIM_NUMERICS", nullptr},
    {"--json", "PTOSIM_JSON", nullptr},
    {"--report", "PTOSIM_REPORT", nullptr},
    {"--keep-task", "PTOSIM_KEEP_TASK", nullptr},
};

void set_variable(const Variable& variable, const std::string& value) {
    const char* before = variable.separator == nullptr ? nullptr : std::getenv(variable.variable);
    const std::string all = before == nullptr ? value : before + (variable.separator + value);
    setenv(variable.variable, all.c_str(), 1);
}

// The libptosim to which a platform is linked, as recorded by 'ptosim simpler-setup'; empty if it is not recorded.
fs::path library_of(const fs::path& platform) {
    std::ifstream file(platform / "setup.json");
    const auto json = parse_json(file, {.discards = true});
    if (!json.is_object() || !json.contains("library") || !json["library"].is_string()) return {};
    return json["library"].get<std::string>();
}

// The platform that 'ptosim simpler-setup' made last.
fs::path current_platform() {
    const fs::path folder = cache_folder() / "mpmd";
    std::string name;
    std::ifstream(folder / "current") >> name;
    if (name.empty() || !fs::is_directory(folder / name))
        fail_input("H32", folder.string() + " has no compiled platform yet",
                   "compile it: ptosim simpler-setup --simpler CHECKOUT");
    const fs::path library = library_of(folder / name);
    if (!library.empty() && fs::weakly_canonical(library) != fs::weakly_canonical(library_folder()))
        fail_input("H32",
                   (folder / name).string() +
                       " was compiled by another ptosim, and would load the libptosim in " +
                       library.string(),
                   "compile it with this ptosim: ptosim simpler-setup --simpler CHECKOUT; or give each ptosim a "
                   "separate cache folder with PTOSIM_CACHE");
    return folder / name;
}

// The file that makes g++ insert reports of accesses. Its name changes with its text, because compiled code is cached
// by its flags.
fs::path access_specs_file() {
    const std::string text = access_specs();
    const std::string digest = sha256(std::as_bytes(std::span(text))).substr(0, 20);
    const fs::path file = cache_folder() / "mpmd" / ("accesses-" + digest);
    if (!fs::exists(file)) {
        fs::create_directories(file.parent_path());
        write_file(file, text);
    }
    return file;
}

// Parses the options before the command. Returns the command.
Words take_options(const Words& words) {
    size_t i = 0;
    for (; i < words.size() && words[i].starts_with("-"); ++i) {
        if (words[i] == "--") {
            ++i;
            break;
        }
        const size_t equals = words[i].find('=');
        const std::string option = words[i].substr(0, equals);
        const Variable* found = nullptr;
        for (const Variable& variable : kVariables)
            if (option == variable.option) found = &variable;
        if (found == nullptr)
            fail_input("I00", "unknown option '" + option + "'",
                       "'ptosim exec --help' lists its options; options of the command come after the command");
        if (equals == std::string::npos && i + 1 == words.size())
            fail_input("I00", option + " needs a value", "'ptosim exec --help' describes it");
        set_variable(*found,
                     equals == std::string::npos ? words[++i] : words[i].substr(equals + 1));
    }
    return {words.begin() + static_cast<ptrdiff_t>(i), words.end()};
}

// The program makes the chip on first use, deep in its run. Errors in its parameters are reported before that. Without
// a name, the chip is the one of the program's platform among the installed ones.
void check_default_chip(const SessionOptions& options, const fs::path& platform) {
    std::optional<DiagnosticError> first;
    for (size_t i = 0; i < kArchCount; ++i) {
        const auto arch = static_cast<Arch>(i);
        if (!fs::is_directory(platform / name(arch))) continue;
        try {
            load_chip(std::string(traits_of(arch).default_chip), options.overrides);
            return;
        } catch (const DiagnosticError& failure) {
            if (!first) first = failure;
        }
    }
    if (first) throw DiagnosticError(*first);
}

// Paths are relative to the folder in which the command starts, even if the command changes its folder.
void make_absolute(const char* variable) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != 0 && std::strcmp(value, "-") != 0)
        setenv(variable, fs::absolute(value).c_str(), 1);
}

void prepare_kept_task() {
    const char* const text = std::getenv("PTOSIM_KEEP_TASK");
    if (text == nullptr || *text == 0) return;
    const TaskWish wish = parse_task_wish(text);
    const std::string folder = fs::absolute(wish.folder).string();
    prepare_task_folder(folder);
    setenv("PTOSIM_KEEP_TASK", (wish.task + "=" + folder).c_str(), 1);
}

bool in_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
    return false;
}

// PyPTO looks for its assembler in PTOAS_ROOT, then in PATH. If there is no other, this makes it find ptosim's.
void offer_assembler() {
    const char* root = std::getenv("PTOAS_ROOT");
    if ((root == nullptr || *root == 0) && !in_path("ptoas"))
        setenv("PTOAS_ROOT", (mpmd_folder() + "/python/assembler").c_str(), 1);
}

// Joins the traces of chips with one clock, which are numbered from 0.
void join_traces() {
    const char* const trace = std::getenv("PTOSIM_TRACE");
    const char* const system = std::getenv("PTOSIM_SYSTEM");
    if (trace == nullptr || *trace == 0 || system == nullptr || *system == 0) return;
    unsigned chips = 0;
    while (fs::is_directory(fs::path(trace) / ("chip" + std::to_string(chips)))) ++chips;
    if (chips > 1) write_chips_trace(trace, chips);
}

int run_exec(const Words& words) {
    if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
        std::cout << kExecUsage;
        return kOk;
    }
    // Invalid words are reported here rather than by the program, with the name of the variable or option.
    run_settings(options_from_environment(), OptionSource::kEnvironment);
    const Words command = take_options(words);
    if (command.empty())
        fail_input("I00", "the command to run is missing",
                   "e.g. ptosim exec -- python test_vector_example.py -p a2a3sim");
    const SessionOptions options = options_from_environment();
    const RunSettings settings = run_settings(options, OptionSource::kCommandLine);
    if (!options.chip.empty()) load_chip(options.chip, options.overrides);
    const fs::path platform = current_platform();
    if (options.chip.empty()) check_default_chip(options, platform);
    if (!options.report.empty()) check_writable(options.report);
    prepare_kept_task();
    make_absolute("PTOSIM_TRACE");
    make_absolute("PTOSIM_JSON");
    if (const char* chip = std::getenv("PTOSIM_CHIP"); chip != nullptr && fs::is_regular_file(chip))
        make_absolute("PTOSIM_CHIP");
    setenv("PTOSIM_PLATFORM", platform.c_str(), 1);
    setenv("PTOSIM_PROGRAM", fs::read_symlink("/proc/self/exe").c_str(), 1);
    setenv("PTOSIM_INCLUDE", include_folder().c_str(), 1);
    if (settings.checks.has("cache"))
        setenv("PTOSIM_ACCESS_SPECS", access_specs_file().c_str(), 1);
    offer_assembler();
    const char* path = std::getenv("PYTHONPATH");
    const std::string site = mpmd_folder() + "/python/site";
    setenv("PYTHONPATH",
           (site + (path != nullptr && *path != 0 ? ":" + std::string(path) : "")).c_str(), 1);
    unsetenv("PTOSIM_REPORT");  // one file for all processes, written by this one
    const int code = run_tree(command, options.report, "check its name, and that it is installed");
    join_traces();
    return code;
}

int run_simpler_setup(const Words& words) {
    Words command = {"python3",   mpmd_folder() + "/python/ptosim_mpmd/setup.py",
                     "--include", include_folder(),
                     "--library", library_folder(),
                     "--specs",   access_specs_file()};
    command.insert(command.end(), words.begin(), words.end());
    become(command, "it needs python3, 3.9 or later");
}

void add(const Command& app, Action& action, const char* name, const char* help,
         int (*work)(const Words&)) {
    const Command command = app.add_subcommand(name, help);
    command.take_all_words();
    command.callback([command, &action, work] {
        action = [words = command.remaining(), work] { return work(words); };
    });
}

}  // namespace

void add_simpler_setup(const Command& app, Action& action) {
    add(app, action, "simpler-setup", "Compile the platform of a checkout of simpler, for exec",
        &run_simpler_setup);
}

void add_exec(const Command& app, Action& action) {
    add(app, action, "exec", "Run a program of simpler or PyPTO on the simulator", &run_exec);
}

}  // namespace ptosim::cli
