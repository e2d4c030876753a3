// Exit codes, and output of documents, for every command.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptosim {

// The contract of the exit code.
enum ExitCode : int { kOk = 0, kKernelWrong = 1, kInputUnusable = 2, kSimulatorWrong = 3 };

// Lists the files of a folder by name, and subfolders with the number of their files: "trace.json, simulator/ (14
// files)".
std::string files_text(const std::filesystem::path& folder,
                       const std::vector<std::filesystem::path>& files);

// Writes `text` to a file, or to standard output if the path is "-".
void write_result(const std::string& path, const std::string& text);

}  // namespace ptosim
