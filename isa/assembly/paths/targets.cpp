#include "isa/assembly/paths/targets.h"

#include "isa/assembly/program/constants.h"
#include "isa/assembly/program/loop_head.h"
#include "isa/assembly/program/step_traits.h"

namespace ptosim::assembly {

std::string_view name(PathTarget::Kind kind) {
    static constexpr std::string_view kNames[] = {"then", "else", "no iteration", "one iteration",
                                                  "several iterations"};
    return kNames[static_cast<size_t>(kind)];
}

std::vector<PathTarget> path_targets(const Program& program) {
    using Kind = PathTarget::Kind;
    const Constants constants(program);
    std::vector<PathTarget> targets;
    for (uint32_t i = 0; i < program.steps.size(); ++i) {
        const Step& step = program.steps[i];
        if (step.code == StepCode::kJumpIfZero && !constants.value(step.a)) {
            targets.push_back({i, i, Kind::kThen, step.where});
            targets.push_back({i, i, Kind::kElse, step.where});
        }
        if (step.code != StepCode::kJumpUnlessLess) continue;
        const uint32_t end = step.target - 1;
        if (program.steps[end].code != StepCode::kLoop || constants.turns(end)) continue;
        for (const Kind kind : {Kind::kNoIteration, Kind::kOneIteration, Kind::kSeveralIterations})
            targets.push_back({i, end, kind, step.where});
    }
    return targets;
}

bool has_done(const StepCounts& counts, const PathTarget& target) {
    using Kind = PathTarget::Kind;
    const uint64_t jumped = counts.jumped[target.step];
    const uint64_t entered = counts.executed[target.step] - jumped;
    const uint64_t iterations = counts.executed[target.end];
    switch (target.kind) {
        case Kind::kThen:
        case Kind::kElse:
        case Kind::kNoIteration:
            return target.jumps() ? jumped > 0 : entered > 0;
        case Kind::kOneIteration:
            return entered > 0 && iterations < 2 * entered;
        case Kind::kSeveralIterations:
            return iterations > entered;
    }
    return false;
}

std::vector<Guard> guards_of(const Program& program, uint32_t step) {
    std::vector<Guard> guards;
    for (uint32_t i = 0; i < step; ++i) {
        const Step& test = program.steps[i];
        if (test.code != StepCode::kJumpIfZero && test.code != StepCode::kJumpUnlessLess) continue;
        if (step < test.target) guards.push_back({i, false});
        if (test.target > step || test.target == 0) continue;
        // The then ends with a jump over the else.
        const Step& leave = program.steps[test.target - 1];
        if (leave.code == StepCode::kJump && leave.target > step) guards.push_back({i, true});
    }
    return guards;
}

}  // namespace ptosim::assembly
