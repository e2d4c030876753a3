// Traces the branches of compiled kernels. The compiler inserts a call at each block and each comparison of integers,
// and the linker redirects these calls to functions here.
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

// Flags for compiling and linking kernels.
std::vector<std::string> branch_flags(bool gnu);
std::vector<std::string> branch_link_flags();

// The trace of the code of several cores, one after the other.
struct BranchTrace {
    // For each core: transitions between blocks of code, each with whether it occurred once or several times.
    std::set<uint64_t> ways;
    // Blocks that every core of a type has executed.
    std::map<CoreType, std::set<uint64_t>> always;
    // Sites of comparisons, each with the outcome less, equal or greater.
    std::set<std::pair<uint64_t, int>> outcomes;
    // Some of the compared numbers, by the site of the comparison.
    std::map<uint64_t, std::set<std::pair<int64_t, int64_t>>> compared;
    uint64_t blocks = 0;  // executed blocks of code
    uint64_t most_blocks = UINT64_MAX;  // limit, beyond which the kernel crashes

    // A core has ended.
    void end_core(CoreType core);

    // State of the running core.
    uint64_t last = 0;  // last block
    std::unordered_map<uint64_t, uint32_t> of_core;  // transitions and their counts
    std::set<uint64_t> blocks_of_core;
};
// Sets the destination of the trace from now on; null: none.
void trace_branches(BranchTrace* trace);

}  // namespace ptosim
