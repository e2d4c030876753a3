// The branches of compiled kernels, while they are traced: the compiler makes a call at each block
// and each comparison of integers, and the linker gives these calls names that end here.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/core/pipe.h"

namespace ptosim {

// Flags of a compilation of kernels, and of their linker.
std::vector<std::string> branch_flags(bool gnu);
std::vector<std::string> branch_link_flags();

// What the code of one core after another has done.
struct BranchTrace {
    // Of each core: from which block of code to which, with whether once or several times.
    std::set<uint64_t> ways;
    // Blocks that every core of a type has executed.
    std::map<CoreType, std::set<uint64_t>> always;
    // Sites of comparisons, with whether one number was less, equal or greater.
    std::set<std::pair<uint64_t, int>> outcomes;
    // Numbers that are compared, by the site of the comparison: some of them.
    std::map<uint64_t, std::set<std::pair<int64_t, int64_t>>> compared;
    uint64_t blocks = 0;  // of code that were executed
    uint64_t most_blocks = UINT64_MAX;  // then the kernel crashes

    // A core has ended.
    void end_core(CoreType core);

    // Of the core that runs.
    uint64_t last = 0;  // block
    std::unordered_map<uint64_t, uint32_t> of_core;  // ways, and how often
    std::set<uint64_t> blocks_of_core;
};
// From now on; null: none.
void trace_branches(BranchTrace* trace);

}  // namespace ptosim
