// The command line of the profiler of kernels, as public projects write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptosim::toolkit {

struct MsprofOptions {
    bool simulator = false;            // `op simulator`, not `op`
    std::vector<std::string> command;  // the application with its words
    std::string output = ".";
    std::vector<std::string> kernels;  // patterns of names; empty: all
    uint64_t launches = 1;             // of matching kernels, the first so many
    std::string chip;                  // of --soc-version; empty: as without the profiler
    unsigned minutes = 0;              // that the application may take; 0: any number
    std::string exported;              // a folder of an earlier run to write the files from
    bool help = false;
};

// Throws DiagnosticError (H04), which names the option.
MsprofOptions parse_msprof(const std::vector<std::string>& words);
// All options as a table for people.
std::string msprof_options_markdown();

// Whether a pattern of --kernel-name means the kernel: its name, with `*` for anything, or the
// device's symbol for it ("_Z3addPfS_i", also with "_mix_aic" behind it).
bool names_kernel(const std::string& pattern, const std::string& kernel);

}  // namespace ptosim::toolkit
