// Runs commands that make files, and records the inputs of outputs.
#pragma once

#include <string>
#include <vector>

namespace ptosim {

struct CommandResult {
    int status = 0;
    std::string messages;  // its standard error and output
};
// Runs a program and waits. The status is 127 if the program is missing.
CommandResult run_command(const std::vector<std::string>& words);
std::string to_text(const std::vector<std::string>& words);

// Records next to an output the inputs from which it was made.
class Stamp {
 public:
    explicit Stamp(std::string output);
    // True if the output exists, was made from `origin` (everything that determines it), and has not changed since.
    bool fresh(const std::string& origin) const;
    void write(const std::string& origin) const;
    void remove() const;

 private:
    std::string output_, file_;
};

// SHA-256 of a file's content, in hexadecimal; empty if it cannot be read.
std::string file_digest(const std::string& file);

// The files of a rule that the compiler wrote with -MD.
std::vector<std::string> read_dependencies(const std::string& file);

}  // namespace ptosim
