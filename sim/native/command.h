// Commands that make files from files, run only when something has changed.
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

// Remembers in a file how an output was made: by which command, from which state of which files.
class Stamp {
 public:
    explicit Stamp(std::string output);
    // Whether the output is there, made by this command from these files as they are now.
    bool fresh(const std::string& command) const;
    void write(const std::string& command, const std::vector<std::string>& inputs) const;
    void remove() const;

 private:
    std::string output_, file_;
};

// The files of a rule that the compiler wrote with -MD.
std::vector<std::string> read_dependencies(const std::string& file);

}  // namespace ptosim
