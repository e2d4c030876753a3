// Location of a kernel in its user's program: the line of its region and of the loop around it in Python, or the first
// line of its C++; and the names of its arguments there.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "isa/core/kernel.h"

namespace ptosim::mpmd {

struct KernelSite {
    std::string file;
    uint32_t line = 0;  // 0: unknown
    std::string text;   // of the line
    uint32_t loop = 0;  // line of the loop around it; 0: there is none
    std::string loop_text;
    std::map<unsigned, std::string> arguments;  // by index
};

class KernelSites {
 public:
    explicit KernelSites(const SourceMap& sources) : sources_{sources} {}

    const KernelSite& of(const std::string& kernel);
    // Text such as "`y`", or "argument 1" if it has no name.
    std::string argument(const std::string& kernel, unsigned index);
    // Text such as "many_tasks.py:10", or the kernel's name if the line is unknown.
    std::string text(const std::string& kernel);

 private:
    KernelSite find(const std::string& kernel);

    const SourceMap& sources_;
    std::map<std::string, KernelSite> found_;
};

// The text of a line of a file; empty if the file does not exist.
std::string line_of_file(const std::string& file, uint32_t line);

}  // namespace ptosim::mpmd
