// What each kind of step writes and does: for analyses of a program that do not run it.
#pragma once

#include "isa/assembly/program/program.h"

namespace ptosim::assembly {

// The slots that a step writes.
enum class StepResult : uint8_t {
    kNone,
    kScalar,    // r, where the step has one
    kVariable,  // a: a loop's variable
    kArray,     // all of its array
    kView,      // r
    kTile,      // r
    kOfPlan,    // the tile or view that its FifoPlan names
    kOfVector,  // the scalars that its VectorPlan names
};

// What a step does beside that.
enum class StepEffect : uint8_t {
    kNone,      // computes, names views and tiles, jumps
    kReports,   // ends with an error, or prints
    kAccesses,  // memory, or issues what does
};

struct StepTraits {
    StepResult result;
    StepEffect effect;
};

// A code that is not here is an error of the compiler (-Wswitch).
constexpr StepTraits traits_of(StepCode code) {
    using Result = StepResult;
    using Effect = StepEffect;
    switch (code) {
        case StepCode::kEnd:
        case StepCode::kCheckStep:
        case StepCode::kJump:
        case StepCode::kJumpIfZero:
        case StepCode::kJumpUnlessLess:
        case StepCode::kJumpUnlessCore:
        case StepCode::kSetValid:
            return {Result::kNone, Effect::kNone};
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
        case StepCode::kPointerAdd:
            return {Result::kScalar, Effect::kNone};
        case StepCode::kLoop:
            return {Result::kVariable, Effect::kNone};
        case StepCode::kArraySet:
            return {Result::kArray, Effect::kNone};
        case StepCode::kMoveView:
        case StepCode::kSelectView:
        case StepCode::kMakeView:
        case StepCode::kPartition:
            return {Result::kView, Effect::kNone};
        case StepCode::kMoveTile:
        case StepCode::kSelectTile:
        case StepCode::kTile:
        case StepCode::kSubview:
        case StepCode::kRetype:
        case StepCode::kTileAt:
        case StepCode::kTileScales:
        case StepCode::kTileSlot:
            return {Result::kTile, Effect::kNone};
        case StepCode::kTrap:
        case StepCode::kPrint:
            return {Result::kNone, Effect::kReports};
        case StepCode::kLoadGlobal:
        case StepCode::kLoadLocal:
        case StepCode::kSignal:
        case StepCode::kCall:
            return {Result::kScalar, Effect::kAccesses};
        case StepCode::kStoreGlobal:
        case StepCode::kStoreLocal:
        case StepCode::kCleanCache:
        case StepCode::kIssue:
        case StepCode::kTransfer:
            return {Result::kNone, Effect::kAccesses};
        case StepCode::kFifo:
            return {Result::kOfPlan, Effect::kAccesses};
        case StepCode::kVectorOperation:
            return {Result::kOfVector, Effect::kNone};
        case StepCode::kVectorFunction:
        case StepCode::kCopy:
            return {Result::kNone, Effect::kAccesses};
    }
    return {Result::kNone, Effect::kNone};  // no code
}

// Calls visit(slot) for each scalar slot that the step writes.
template <typename Visit>
void each_written_scalar(const Program& program, const Step& step, Visit&& visit) {
    switch (traits_of(step.code).result) {
        case StepResult::kScalar:
            if (step.r != kNoSlot) visit(step.r);
            break;
        case StepResult::kVariable:
            visit(step.a);
            break;
        case StepResult::kArray: {
            const ArrayAccess& array = program.arrays[step.index];
            for (uint32_t i = 0; i < array.count; ++i) visit(array.first + i);
            break;
        }
        case StepResult::kOfVector: {
            const VectorPlan& plan = program.vectors[step.index];
            for (const Slot result : plan.results)
                if (result != kNoSlot) visit(result);
            if (plan.left != kNoSlot) visit(plan.left);
            break;
        }
        default:
            break;
    }
}

// The view slot that the step writes, or kNoSlot.
inline Slot written_view(const Program& program, const Step& step) {
    const StepResult result = traits_of(step.code).result;
    if (result == StepResult::kView) return step.r;
    if (result != StepResult::kOfPlan) return kNoSlot;
    const FifoPlan& plan = program.fifos[step.index];
    const bool view = plan.action == FifoAction::kAlloc || plan.action == FifoAction::kPopSlot;
    return view ? plan.object : kNoSlot;
}

// The tile slot that the step writes, or kNoSlot.
inline Slot written_tile(const Program& program, const Step& step) {
    const StepResult result = traits_of(step.code).result;
    if (result == StepResult::kTile) return step.r;
    if (result != StepResult::kOfPlan) return kNoSlot;
    const FifoPlan& plan = program.fifos[step.index];
    return plan.action == FifoAction::kPop ? plan.object : kNoSlot;
}

}  // namespace ptosim::assembly
