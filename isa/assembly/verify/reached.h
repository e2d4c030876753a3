// What of a program's text its runs have reached, and what they have not.
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
        kBranch,  // a way of an scf.if or scf.while
        kLoop,    // a number of turns of an scf.for
        kFlag,    // a set_flag, wait_flag, or signal or wait between cores
    };
    Kind kind = Kind::kLine;
    SourceLocation where;
    std::string_view
        what;  // of branches and loops: "then", "else"; "no turn", "a turn", "several turns"
    uint64_t count = 0;  // how often; 0: not reached
};

// In the order of the text. Ways that constants exclude are not among them; what stands in a
// function that is called several times counts together.
std::vector<ReachPoint> reach_points(const Program& program, const StepCounts& counts);

}  // namespace ptosim::assembly
