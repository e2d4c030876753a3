// A counted loop of a program, found from its last
// step: for analyses of a program that do not run it.
#pragma once

#include "isa/assembly/program/program.h"

namespace ptosim::assembly {

// Its steps, in order (ControlFlowBinder::scf_for):
//   begin   kMove variable = from; after it, moves of the initial values that the loop carries
//   head    kJumpUnlessLess variable < to: to after the loop
//   ...     the body
//   end     kLoop variable += step; variable < to: to head + 1
struct LoopHead {
    LoopHead(const Program& program, uint32_t loop)
        : end{loop},
          head{program.steps[loop].target - 1},
          begin{head},
          variable{program.steps[loop].a},
          to{program.steps[loop].b},
          step{program.steps[loop].c} {
        const auto starts = [&](const Step& one) {
            return one.code == StepCode::kMove && one.r == variable;
        };
        while (begin > 0 && !starts(program.steps[begin])) --begin;
        from = program.steps[begin].a;
    }

    bool inside(uint32_t one) const { return one > head && one < end; }

    uint32_t end, head, begin;
    Slot variable, to, step, from = kNoSlot;
};

}  // namespace ptosim::assembly
