// A user's program, run as a child process that records its launches.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptosim::toolkit {

// Makes the folder OUTPUT/PREFIX_<date and time>_<16 random letters> and returns its absolute path. Throws DiagnosticError
// (I40).
std::filesystem::path make_run_folder(const std::string& prefix, const std::string& output);

struct RecordedProgram {
    std::string tool;                  // name of the running tool, for messages
    std::vector<std::string> command;  // the program and its words
    std::filesystem::path recording;   // folder of the recording
    std::string chip;                  // empty: the default chip
    unsigned minutes = 0;              // limit after which the program and its children are ended; 0: none
};

// Runs the program and waits for its end. Returns its exit code in a shell's convention: 127 if it cannot be started,
// 128 plus the signal if a signal ended it. Throws DiagnosticError (H04).
int run_recorded(const RecordedProgram& recorded);

}  // namespace ptosim::toolkit
