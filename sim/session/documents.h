// What every command ends with: its exit code, and documents where the user wants them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptosim {

// The contract of the exit code.
enum ExitCode : int { kOk = 0, kKernelWrong = 1, kInputUnusable = 2, kSimulatorWrong = 3 };

// The files of a folder by their names; those of a folder in it by its name and their number:
// "trace.json, simulator/ (14 files)".
std::string files_text(const std::filesystem::path& folder,
                       const std::vector<std::filesystem::path>& files);

// Writes `text` to a file, or to standard output for "-".
void write_result(const std::string& path, const std::string& text);

}  // namespace ptosim
