// Parts of a program that its runs have reached, and parts that they have not.
#pragma once

#include <string_view>
#include <vector>

#include "isa/assembly/program/program.h"
#include "isa/assembly/program/step_counts.h"

namespace ptosim::assembly {

// Something that a run can reach.
struct ReachPoint {
    enum class Kind : uint8_t {
        kLine,    // a line that issues an instruction or accesses memory
        kBranch,  // an arm of an scf.if or scf.while
        kLoop,    // a number of iterations of an scf.for
        kFlag,    // a set_flag, wait_flag, or signal or wait between cores
    };
    Kind kind = Kind::kLine;
    SourceLocation where;
    std::string_view
        what;  // of branches: "then", "else"; of loops: "no iteration", "several iterations"
    uint64_t count = 0;  // how often; 0: not reached
};

// In the order of the text. Arms that constants exclude are left out; a
// function that is called several times is counted once for all calls.
std::vector<ReachPoint> reach_points(const Program& program, const StepCounts& counts);

}  // namespace ptosim::assembly
