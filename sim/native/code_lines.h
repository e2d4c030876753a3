// Functions and lines of addresses in a library, from a symbolizer process that keeps running: llvm-symbolizer, which
// comes with clang, or else addr2line (binutils), which misses functions that clang has inlined in parts.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/native/code_location.h"

namespace ptosim {

class CodeLines {
 public:
    // `file` is read on the first query.
    explicit CodeLines(std::string file) : file_{std::move(file)} {}
    ~CodeLines();
    CodeLines(const CodeLines&) = delete;
    CodeLines& operator=(const CodeLines&) = delete;

    // The functions inlined at an offset in the library, innermost first, and then the function that contains them;
    // empty if the library has no lines, or the program is missing.
    std::vector<CodeLocation> at(uint64_t offset);

 private:
    bool start();
    bool start(const std::vector<std::string>& words);
    bool read_line(std::string& line);

    std::string file_;
    bool started_ = false;
    bool gnu_ = false;  // addr2line
    pid_t child_ = 0;
    int to_ = -1, from_ = -1;
    std::string unread_;
};

}  // namespace ptosim
