// Commands that make files from files, and what the files were made from.
#pragma once

#include <string>
#include <vector>

namespace ptosim {

struct CommandResult {
    int status = 0;
    std::string messages;  // what it wrote to standard error and output
};
// Runs a program and waits. 127 if there is no such program.
CommandResult run_command(const std::vector<std::string>& words);
std::string to_text(const std::vector<std::string>& words);

// Remembers beside an output what it was made from.
class Stamp {
 public:
    explicit Stamp(std::string output);
    // Whether the output is there, made from `origin` (all that decides what it is), and unchanged
    // since then.
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
