// The ptosim program: parses the command line, runs a subcommand, turns errors into exit codes.
#include <cstdlib>
#include <iostream>
#include <systemc>

#include "sim/cli/commands.h"

namespace {

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "error: " << error.what() << " [I00]\n";
    std::cerr << "  help: '" << app.get_name() << " --help' lists commands and options\n";
    return ptosim::cli::kInputUnusable;
}

}  // namespace

__attribute__((visibility("default"))) int sc_main(int argc, char* argv[]) {
    using namespace ptosim;
    CLI::App app{"Simulator of Ascend NPU chips running PTO tile kernels", "ptosim"};
    app.set_version_flag("--version", "ptosim " PTOSIM_VERSION);
    app.require_subcommand(1);
    cli::Action action;
    cli::add_run(app, action);
    cli::add_check(app, action);
    cli::add_build(app, action);
    cli::add_chips(app, action);
    cli::add_isa(app, action);
    cli::add_sweep(app, action);
    cli::add_recorded_report(app, action);
    cli::add_diff(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return usage_error(app, error);
    }
    try {
        return action();
    } catch (const DiagnosticError& error) {
        for (const Diagnostic& diagnostic : error.diagnostics()) std::cerr << to_text(diagnostic);
        return cli::kInputUnusable;
    } catch (const std::bad_alloc&) {
        std::cerr << "error: out of memory [I03]\n";
        return cli::kInputUnusable;
    } catch (const std::exception& error) {
        std::cerr << "internal error: " << error.what()
                  << "\n  help: this is a bug of ptosim; please report the command line and the "
                     "kernel\n";
        return cli::kSimulatorWrong;
    }
}

int main(int argc, char* argv[]) {
    // Before the kernel initialises: it prints its banner otherwise.
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
