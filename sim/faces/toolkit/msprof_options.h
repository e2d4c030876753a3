// The command line of the profiler of kernels, as used in public projects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptosim::toolkit {

struct MsprofOptions {
    bool simulator = false;            // `op simulator`, not `op`
    std::vector<std::string> command;  // the application and its words
    std::string output = ".";
    std::vector<std::string> kernels;  // patterns of names; empty: all
    uint64_t launches = 1;             // limit of launches of matching kernels
    std::string chip;                  // of --soc-version; empty: as without the profiler
    unsigned minutes = 0;              // limit of the application's duration; 0: none
    std::string exported;              // folder of an earlier run from which to write the files
    bool help = false;
};

// Throws DiagnosticError (H04), which names the option.
MsprofOptions parse_msprof(const std::vector<std::string>& words);
// All options as a Markdown table.
std::string msprof_options_markdown();

// True if a pattern of --kernel-name matches the kernel's name, where `*` matches anything, or the device's symbol for
// it ("_Z3addPfS_i", also followed by "_mix_aic").
bool names_kernel(const std::string& pattern, const std::string& kernel);

}  // namespace ptosim::toolkit
