// The tile slots of a program's steps, and which of them name the same bytes.
#pragma once

#include <numeric>
#include <vector>

#include "isa/assembly/program/step_traits.h"

namespace ptosim::assembly {

// Calls visit(slot) for each tile slot that a step of a FIFO, a transfer or an instruction names.
template <typename Visit>
void each_tile_slot_of_plan(const Program& program, const Step& step, Visit&& visit) {
    switch (effect_of(step)) {
        case StepEffect::kUsesFifo: {
            const FifoPlan& plan = program.fifos[step.index];
            if (plan.action == FifoAction::kPush || plan.action == FifoAction::kPop)
                visit(plan.object);
            if (plan.scale.kind == Operand::Kind::kTile) visit(plan.scale.slot);
            break;
        }
        case StepEffect::kTransfers: {
            const TransferPlan& plan = program.transfers[step.index];
            visit(plan.ping);
            if (plan.pong != kNoSlot) visit(plan.pong);
            break;
        }
        case StepEffect::kIssues:
            for (const OperandPlan& operand : program.issues[step.index].operands)
                if (operand.kind == Operand::Kind::kTile) visit(operand.slot);
            break;
        default:
            break;
    }
}

// Calls visit(slot) for each tile slot that a step writes or reads.
template <typename Visit>
void each_tile_slot(const Program& program, const Step& step, Visit&& visit) {
    const StepTraits& traits = traits_of(step.code);
    if (traits.result == StepResult::kTile) visit(step.r);
    switch (traits.reads) {
        case StepReads::kNothing:
            break;
        case StepReads::kTile:
        case StepReads::kShape:
        case StepReads::kSameBytes:
            visit(step.a);
            break;
        case StepReads::kAddress:
            visit(step.b);
            break;
        case StepReads::kChosenBytes:
            visit(step.b);
            visit(step.c);
            break;
        case StepReads::kPlan:
            each_tile_slot_of_plan(program, step, visit);
            break;
    }
}

// True if the result of a step names the bytes of its tile operands.
inline bool makes_alias(StepCode code) {
    const StepReads reads = traits_of(code).reads;
    return reads == StepReads::kSameBytes || reads == StepReads::kChosenBytes;
}

// True if it may touch bytes of its tiles, rather than only naming, addressing or shaping them.
inline bool touches(StepCode code) {
    return !makes_alias(code) && traits_of(code).reads != StepReads::kShape &&
           traits_of(code).effect != StepEffect::kAllocates;
}

// Sets of slots.
class Unions {
 public:
    explicit Unions(size_t size) : parents_(size) {
        std::iota(parents_.begin(), parents_.end(), Slot{0});
    }
    Slot root(Slot slot) {
        while (parents_[slot] != slot) slot = parents_[slot] = parents_[parents_[slot]];
        return slot;
    }
    void join(Slot a, Slot b) { parents_[root(a)] = root(b); }

 private:
    std::vector<Slot> parents_;
};

// Slots that name the same bytes.
inline Unions aliases(const Program& program) {
    Unions unions(program.tile_slots);
    for (const Step& step : program.steps) {
        if (!makes_alias(step.code)) continue;
        each_tile_slot(program, step, [&](Slot slot) { unions.join(slot, step.r); });
    }
    return unions;
}

}  // namespace ptosim::assembly
