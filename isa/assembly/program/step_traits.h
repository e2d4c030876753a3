// Writes, effects and reads of each kind of step, by its row of steps.def: for analyses of a program that do not run
// it.
#pragma once

#include <cstddef>

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

enum class StepEffect : uint8_t {
    kNothing,  // beside its result: a check, a shape
    // Control.
    kEnds,
    kTraps,
    kJumps,
    kBranches,     // jumps to the else of an scf.if
    kEntersLoop,   // jumps behind a loop without an iteration
    kRepeats,      // the end of a loop
    kChoosesCore,  // jumps on cores of the other type
    kPrints,
    // Values. The result is
    kCopies,     // a, or a part of view a
    kSelects,    // b or c
    kEvaluates,  // arithmetic
    kCounts,     // a number that is not negative
    kMeasures,   // any number
    kComputes,   // numbers and addresses that are not followed
    kOffsets,    // an address from that of pointer a
    kAddresses,  // the address of view a
    kViews,      // a view of what pointer a leads to
    kAllocates,  // a tile
    kNarrows,    // a window of tile a
    kRetypes,    // the bytes of tile a in another shape
    kPlaces,     // tile a at another address
    kPlacesScales,
    kTakesSlot,  // one of the slots of tile a
    // Accesses of memory.
    kLoadsGlobal,
    kStoresGlobal,
    kCleansCache,
    kLoadsTile,
    kStoresTile,
    kIssues,
    kUsesFifo,
    kTransfers,
    kSignals,
    kCalls,
    kRunsVector,
    kCopiesBytes,
    kCallsIntrinsic,
};

constexpr bool is_jump(StepEffect effect) {
    return effect >= StepEffect::kJumps && effect <= StepEffect::kChoosesCore;
}
constexpr bool is_access(StepEffect effect) { return effect >= StepEffect::kLoadsGlobal; }
// It can be seen from outside of the kernel.
constexpr bool is_visible(StepEffect effect) {
    return is_access(effect) || effect == StepEffect::kTraps || effect == StepEffect::kPrints;
}

// The tile slots that a step reads.
enum class StepReads : uint8_t {
    kNothing,
    kTile,         // a
    kShape,        // a, without its bytes
    kAddress,      // that of b
    kSameBytes,    // a, whose bytes the result names
    kChosenBytes,  // b and c, likewise
    kPlan,         // those that its plan names
};

struct StepTraits {
    StepResult result;
    StepEffect effect;
    StepReads reads;
};

inline constexpr StepTraits kStepTraits[] = {
#define STEP(CODE, RESULT, EFFECT, READS, HANDLER) \
    {StepResult::RESULT, StepEffect::EFFECT, StepReads::READS},
#include "isa/assembly/program/steps.def"
#undef STEP
};

constexpr const StepTraits& traits_of(StepCode code) {
    return kStepTraits[static_cast<size_t>(code)];
}
inline StepEffect effect_of(const Step& step) { return traits_of(step.code).effect; }

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
