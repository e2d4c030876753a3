#include "sim/faces/toolkit/aicpu_compiler.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "isa/core/diagnostic.h"

namespace ptosim::toolkit {

int run_aicpu_tool(const std::vector<std::string>& words) {
    const std::vector<std::string> tools = {"g++", "gcc", "objcopy"};
    if (words.empty() || std::find(tools.begin(), tools.end(), words[0]) == tools.end())
        fail_input("H04", "aicpu: the name of a tool is missing", "g++, gcc, objcopy");
    std::vector<std::string> command = words;
    // The AICPU's compiler is another version, whose warnings its projects are free of.
    std::erase(command, "-Werror");
    // CMake's launcher: the name of the compiler follows the tool.
    if (command.size() > 1 && command[1].starts_with('/') && command[1].ends_with("++"))
        command.erase(command.begin() + 1);
#ifdef __x86_64__
    // The code is loaded without its constants, so it must not use constants of vector registers.
    if (std::find(words.begin(), words.end(), "-S") != words.end())
        command.insert(command.end(), {"-mno-sse2", "-mno-sse"});
#endif
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    fail_input("H02", words[0] + ": cannot be run: " + std::strerror(errno), "install g++ and binutils");
}

}  // namespace ptosim::toolkit
