// The subcommands of ptosim. Each adds itself to the parser and says what its run returned.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "isa/diagnostic.h"

namespace ptosim::cli {

// The contract of the exit code.
enum ExitCode : int { kOk = 0, kKernelWrong = 1, kInputUnusable = 2, kSimulatorWrong = 3 };

// A subcommand's work; returns the exit code. Errors are thrown.
using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_build(CLI::App& app, Action& action);
void add_chips(CLI::App& app, Action& action);
void add_isa(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_recorded_report(CLI::App& app, Action& action);
void add_diff(CLI::App& app, Action& action);

// The files of a folder by their names; those of a folder in it by its name and their number:
// "trace.json, simulator/ (14 files)".
std::string files_text(const std::filesystem::path& folder,
                       const std::vector<std::filesystem::path>& files);

// Writes `text` to a file, or to standard output for "-".
void write_result(const std::string& path, const std::string& text);

}  // namespace ptosim::cli
