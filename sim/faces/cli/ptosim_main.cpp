// The ptosim program: parses the command line, runs a subcommand, turns errors into exit codes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <systemc>
#include <vector>

#include "sim/faces/cli/commands.h"
#include "sim/files/version.h"
#include "sim/session/variables.h"
#include "sim/session/path_choice.h"

namespace {

using Words = std::vector<std::string>;

std::string suggestion(const std::string& word, const std::vector<std::string>& accepted) {
    const std::string similar =
        ptosim::closest(word, std::vector<std::string_view>(accepted.begin(), accepted.end()));
    return similar.empty() ? "" : "; did you mean '" + similar + "'?";
}

// The first word that is an option of neither the program nor the command.
std::string unknown_option(const CLI::App& command, const Words& words) {
    Words accepted;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) accepted.push_back("--" + name);
    for (const std::string& word : words) {
        const std::string name = word.substr(0, word.find('='));
        if (name.rfind("--", 0) != 0 || name == "--") continue;
        if (std::find(accepted.begin(), accepted.end(), name) == accepted.end())
            return "unknown option '" + name + "'" + suggestion(name, accepted);
    }
    return {};
}

std::string complaint(const CLI::App& app, const CLI::ParseError& error, const Words& words) {
    const auto commands = app.get_subcommands();  // the given ones
    if (commands.empty() && !words.empty() && words.front().rfind('-', 0) != 0) {
        Words accepted;
        for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
            accepted.push_back(command->get_name());
        return "unknown command '" + words.front() + "'" + suggestion(words.front(), accepted);
    }
    if (commands.empty() || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        const CLI::App& command = commands.empty() ? app : *commands.front();
        const std::string unknown = unknown_option(command, words);
        if (!unknown.empty()) return unknown;
    }
    const std::string text = error.what();
    const std::string before = "Could not convert: ";  // "--seed = abc"
    const size_t equals = text.find(" = ");
    if (text.starts_with(before) && equals != std::string::npos)
        return text.substr(before.size(), equals - before.size()) + ": '" +
               text.substr(equals + 3) + "' is not a valid value";
    return text;
}

int usage_error(const CLI::App& app, const CLI::ParseError& error, const Words& words) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const auto commands = app.get_subcommands();
    std::cerr << "error: " << complaint(app, error, words) << " [I00]\n";
    if (commands.empty())
        std::cerr << "  help: 'ptosim --help' lists commands and options\n";
    else
        std::cerr << "  help: 'ptosim " << commands.front()->get_name()
                  << " --help' lists its options\n";
    return ptosim::kInputUnusable;
}

// If a file may not grow, the write fails and its error names the file. Programs started by this one get the original
// signal because they do not inherit handlers.
void let_writes_fail() {
    std::signal(SIGXFSZ, [](int) {});
}

// --paths may be given without its number.
void number_paths(Words& words) {
    if (words.empty() || (words[0] != "run" && words[0] != "check")) return;
    const auto is_number = [](const std::string& word) {
        return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    };
    for (size_t i = 1; i < words.size(); ++i)
        if (words[i] == "--paths" && (i + 1 == words.size() || !is_number(words[i + 1])))
            words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         std::to_string(ptosim::PathBudget::kRuns));
}

// "ptosim help run" means "ptosim run --help"; "ptosim help" means "ptosim --help".
void ask_for_help(const CLI::App& app, Words& words) {
    if (words.empty() || words[0] != "help") return;
    words.erase(words.begin());
    words.resize(std::min<size_t>(words.size(), 1));
    const auto named = [&](const CLI::App* command) { return command->get_name() == words[0]; };
    if (words.empty() || !app.get_subcommands(named).empty()) words.push_back("--help");
}

void mark_own_words(const CLI::App& app, Words& words) {
    if (words.empty()) return;
    const auto takes_all = [&](const CLI::App* command) {
        return command->get_name() == words[0] && command->get_prefix_command();
    };
    if (!app.get_subcommands(takes_all).empty())
        words.insert(words.begin() + 1, ptosim::cli::kWordsFollow);
}

Words command_words(const CLI::App& app, int argc, char* argv[]) {
    Words words(argv + 1, argv + argc);
    number_paths(words);
    ask_for_help(app, words);
    mark_own_words(app, words);
    return words;
}

// Output that could not be written (a full disk) is reported as an error.
int exit_code_after_output(int code) {
    std::cout.flush();
    if (std::cout) return code;
    std::cerr << "error: standard output: cannot be written completely [I02]\n";
    return ptosim::kInputUnusable;
}

std::string version_text() {
    const std::string version = std::string("ptosim ") + ptosim::program_version(),
                      commit = ptosim::program_commit();
    return commit.empty() ? version : version + " (" + commit + ")";
}

Words& given_words() {
    static Words& words = *new Words;
    return words;
}

}  // namespace

const std::vector<std::string>& ptosim::cli::own_words() {
    return given_words();
}

__attribute__((visibility("default"))) int sc_main(int argc, char* argv[]) {
    using namespace ptosim;
    let_writes_fail();
    CLI::App app{"Simulator of Ascend NPU chips running PTO tile kernels", "ptosim"};
    app.set_version_flag("--version", version_text());
    app.require_subcommand(1);
    cli::Action action;
    const cli::Command program{app};
    cli::add_run(program, action);
    cli::add_capture(program, action);
    cli::add_check(program, action);
    cli::add_debug(program, action);
    cli::add_lsp(program, action);
    cli::add_build(program, action);
    cli::add_chips(program, action);
    cli::add_isa(program, action);
    cli::add_recorded_report(program, action);
    cli::add_diff(program, action);
    cli::add_worker(program, action);
    cli::add_serve(program, action);
    cli::add_mcp(program, action);
    cli::add_op(program, action);
    cli::add_compare(program, action);
    cli::add_cost(program, action);
    cli::add_estimate(program, action);
#ifdef PTOSIM_FACES
    cli::add_sweep(program, action);
    cli::add_simpler_setup(program, action);
    cli::add_exec(program, action);
    cli::add_toolkit(program, action);
#else
    cli::add_absent_faces(program, action);
#endif
    app.footer("'ptosim help COMMAND' lists the options of a command.");
    const Words words = command_words(app, argc, argv);
    given_words() = words;
    try {
        app.parse(Words(words.rbegin(), words.rend()));  // takes them from the back
    } catch (const CLI::ParseError& error) {
        return usage_error(app, error, words);
    }
    if (!action) return kOk;  // --help of a command that parses its own words
    std::cerr << unknown_variables();
    try {
        return exit_code_after_output(action());
    } catch (const DiagnosticError& error) {
        for (const Diagnostic& diagnostic : error.diagnostics()) std::cerr << to_text(diagnostic);
        return kInputUnusable;
    } catch (const std::bad_alloc&) {
        std::cerr << "error: out of memory [I03]\n";
        return kInputUnusable;
    } catch (const std::exception& error) {
        std::cerr << "internal error: " << error.what()
                  << "\n  help: this is a bug of ptosim; please report the command line and the "
                     "kernel\n";
        return kSimulatorWrong;
    }
}

int main(int argc, char* argv[]) {
    // Must precede the kernel's initialisation, which prints its banner otherwise.
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
