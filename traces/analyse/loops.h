// The loops that a core executed, derived from source lines.
//
// Loops are found in the kernel's text (`for`, `while` and `do` with their bodies, in .pto and
// C++); which iteration an instruction belongs to follows from the order in which the lines were
// issued: a step back inside a loop's body begins its next iteration. An iteration that issues
// nothing leaves no trace, and one of an outer loop whose body is only an inner loop counts as an
// iteration of the inner one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/record/recording.h"

namespace ptosim {

struct LoopRegion {
    uint32_t first = 0;  // lines, both included
    uint32_t last = 0;
    int32_t parent = -1;  // index of the loop around it
};
// In order of their first lines.
std::vector<LoopRegion> find_loops(std::string_view text);

// One iteration on one core, from the issue of its first instruction to that of what came after
// it, or to the end of the block.
struct Iteration {
    Cycle begin = 0;
    Cycle end = 0;
    SourceLocation loop;  // its first line
    uint32_t number = 0;  // from 0
    uint16_t core = 0;
    uint16_t depth = 0;  // loops around it
};
// By core, in order of their beginnings, an outer one before its inner ones.
std::vector<std::vector<Iteration>> loop_iterations(const Recording& recording);

}  // namespace ptosim
