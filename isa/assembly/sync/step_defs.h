// Which scalar slots a step of a program writes: for analyses of a program that do not run it.
#pragma once

#include "isa/assembly/program/program.h"

namespace ptosim::assembly {

// Calls visit(slot) for each scalar slot that the step writes.
template <typename Visit>
void each_defined(const Program& program, const Step& step, Visit&& visit) {
    switch (step.code) {
        case StepCode::kMove:
        case StepCode::kEvaluate:
        case StepCode::kSelect:
        case StepCode::kIdentity:
        case StepCode::kArrayGet:
        case StepCode::kViewDim:
        case StepCode::kViewStride:
        case StepCode::kViewAddress:
        case StepCode::kValidRows:
        case StepCode::kValidCols:
        case StepCode::kSignal:
        case StepCode::kCall:
        case StepCode::kPointerAdd:
        case StepCode::kLoadGlobal:
        case StepCode::kLoadLocal:
            if (step.r != kNoSlot) visit(step.r);
            break;
        case StepCode::kLoop:
            visit(step.a);
            break;
        case StepCode::kArraySet: {
            const ArrayAccess& array = program.arrays[step.index];
            for (uint32_t i = 0; i < array.count; ++i) visit(array.first + i);
            break;
        }
        default:
            break;
    }
}

}  // namespace ptosim::assembly
