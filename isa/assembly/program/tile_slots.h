// The tile slots of a program's steps, and which of them name the same bytes.
#pragma once

#include <numeric>
#include <vector>

#include "isa/assembly/program/step_traits.h"

namespace ptosim::assembly {

// Calls visit(slot) for each tile slot that a step reads or writes.
template <typename Visit>
void each_tile_slot(const Program& program, const Step& step, Visit&& visit) {
    switch (step.code) {
        case StepCode::kTile:
            visit(step.r);
            break;
        case StepCode::kMoveTile:
        case StepCode::kSubview:
        case StepCode::kRetype:
        case StepCode::kTileAt:
        case StepCode::kTileSlot:
            visit(step.r);
            visit(step.a);
            break;
        case StepCode::kTileScales:
            visit(step.r);
            visit(step.b);
            break;
        case StepCode::kSelectTile:
            visit(step.r);
            visit(step.b);
            visit(step.c);
            break;
        case StepCode::kSetValid:
        case StepCode::kValidRows:
        case StepCode::kValidCols:
        case StepCode::kLoadLocal:
        case StepCode::kStoreLocal:
            visit(step.a);
            break;
        case StepCode::kFifo: {
            const FifoAction action = program.fifos[step.index].action;
            if (action == FifoAction::kPush || action == FifoAction::kPop)
                visit(program.fifos[step.index].object);
            if (program.fifos[step.index].scale.kind == Operand::Kind::kTile)
                visit(program.fifos[step.index].scale.slot);
            break;
        }
        case StepCode::kTransfer: {
            const TransferPlan& plan = program.transfers[step.index];
            visit(plan.ping);
            if (plan.pong != kNoSlot) visit(plan.pong);
            break;
        }
        case StepCode::kIssue:
            for (const OperandPlan& operand : program.issues[step.index].operands)
                if (operand.kind == Operand::Kind::kTile) visit(operand.slot);
            break;
        default:
            break;
    }
}

// Whether the result of a step names the bytes of its tile operands.
inline bool makes_alias(StepCode code) {
    return code == StepCode::kMoveTile || code == StepCode::kSelectTile ||
           code == StepCode::kSubview || code == StepCode::kRetype || code == StepCode::kTileSlot;
}

// Whether it touches bytes of its tiles, rather than only naming, addressing or shaping them.
inline bool touches(StepCode code) {
    return !makes_alias(code) && code != StepCode::kTile && code != StepCode::kSetValid &&
           code != StepCode::kValidRows && code != StepCode::kValidCols;
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
