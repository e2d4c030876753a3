// The subcommands of ptosim. Each adds itself to the parser and says what its run returned.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "isa/diagnostic.h"
#include "sim/cli/options.h"

namespace ptosim::cli {

// The contract of the exit code.
enum ExitCode : int { kOk = 0, kKernelWrong = 1, kInputUnusable = 2, kSimulatorWrong = 3 };

// A subcommand's work; returns the exit code. Errors are thrown.
using Action = std::function<int()>;

void add_run(const Command& app, Action& action);
void add_check(const Command& app, Action& action);
void add_build(const Command& app, Action& action);
void add_chips(const Command& app, Action& action);
void add_isa(const Command& app, Action& action);
void add_sweep(const Command& app, Action& action);
void add_recorded_report(const Command& app, Action& action);
void add_diff(const Command& app, Action& action);

// The files of a folder by their names; those of a folder in it by its name and their number:
// "trace.json, simulator/ (14 files)".
std::string files_text(const std::filesystem::path& folder,
                       const std::vector<std::filesystem::path>& files);

// Writes `text` to a file, or to standard output for "-".
void write_result(const std::string& path, const std::string& text);

}  // namespace ptosim::cli
