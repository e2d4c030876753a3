// Targets of a run at the conditional steps of a program: the arms and iteration counts that explorations try to reach.
#pragma once

#include <string>
#include <vector>

#include "isa/assembly/program/program.h"
#include "isa/assembly/program/step_counts.h"

namespace ptosim::assembly {

// Something that can happen at a step.
struct PathTarget {
    enum class Kind : uint8_t { kThen, kElse, kNoIteration, kOneIteration, kSeveralIterations };

    uint32_t step = 0;  // kJumpIfZero; of loops kJumpUnlessLess
    uint32_t end = 0;   // of loops: kLoop
    Kind kind = Kind::kThen;
    SourceLocation where;

    bool jumps() const { return kind == Kind::kElse || kind == Kind::kNoIteration; }
    bool is_loop() const { return kind >= Kind::kNoIteration; }
    friend bool operator==(const PathTarget&, const PathTarget&) = default;
};
// "then", "else", "no iteration", "one iteration", "several iterations".
std::string_view name(PathTarget::Kind kind);

// In the order of the steps, without what constants exclude. A function that is called several
// times has targets for each call.
std::vector<PathTarget> path_targets(const Program& program);
// True if the counted runs have reached it. One iteration counts as done if some activation of the loop must have made
// just one, by their sum.
bool has_done(const StepCounts& counts, const PathTarget& target);

// A conditional step and the outcome that a run needs to get to another step.
struct Guard {
    uint32_t step = 0;
    bool jumps = false;
};
// Guards of the branches and loops around a step, the outermost first.
std::vector<Guard> guards_of(const Program& program, uint32_t step);

}  // namespace ptosim::assembly
