// Repairs of `ptosim check --fix`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/check/causes.h"
#include "sim/faces/cli/run_options.h"

namespace ptosim::cli {

enum class FixOutput : uint8_t {
    kNone,
    kFile,     // next to the kernel: NAME.fixed.pto
    kDiff,     // a patch on standard output
    kInPlace,  // the kernel's own file
};

// Applies the mends of the findings to a copy of the kernel, checks the copy with the same options,
// and repeats that for findings that only the copy shows. Writes nothing unless a copy without
// findings was reached, except for a patch of C++, which is then labelled as a suggestion. `words`:
// the command line without the kernel and the options of repairs.
void fix_kernel(const RunOptions& options, std::span<const check::Explanation> explanations,
                const std::vector<std::string>& words, FixOutput output);

}  // namespace ptosim::cli
