#include "isa/assembly/context/core_assignment.h"

#include "isa/table/instruction_table.h"

namespace ptosim::assembly {

std::optional<CoreType> core_of_plan(const IssuePlan& plan) {
    const Instruction& instruction = plan.prototype;
    if (instruction.opcode == Opcode::kSYNCALL) {
        if (instruction.attributes.sync_cores == SyncCores::kMix) return std::nullopt;
        return instruction.attributes.sync_cores == SyncCores::kAIC ? CoreType::kAIC
                                                                    : CoreType::kAIV;
    }
    if (!info(instruction.opcode).attributes.has(kAttrPipes)) return core_of(instruction);
    const bool aic = has_pipe(CoreType::kAIC, instruction.attributes.source_pipe) &&
                     has_pipe(CoreType::kAIC, instruction.attributes.destination_pipe);
    const bool aiv = has_pipe(CoreType::kAIV, instruction.attributes.source_pipe) &&
                     has_pipe(CoreType::kAIV, instruction.attributes.destination_pipe);
    if (aic == aiv) return std::nullopt;
    return aic ? CoreType::kAIC : CoreType::kAIV;
}

// A kernel without a kind and without sections runs where its instructions can run; if that is
// both core types, each instruction runs on its own (hw-native-sys/PTOAS
// PTOMaterializeTileOpSections.cpp puts a section around each).
void assign_cores(BindContext& context) {
    bool needs_aic = context.unsectioned_cube, needs_aiv = context.unsectioned_transfer;
    for (const uint32_t index : context.unsectioned_issues) {
        const auto core = core_of_plan(context.program.issues[index]);
        if (core == CoreType::kAIC) needs_aic = true;
        if (core == CoreType::kAIV) needs_aiv = true;
        // A barrier of both core types needs code on both.
        if (context.program.issues[index].prototype.opcode == Opcode::kSYNCALL && !core)
            needs_aic = needs_aiv = true;
    }
    context.on_aic |= needs_aic;
    context.on_aiv |= needs_aiv;
    // Scalar code alone: one vector core does it.
    if (!context.on_aic && !context.on_aiv) context.on_aiv = true;
    if (context.on_aic && context.on_aiv)
        for (const uint32_t index : context.unsectioned_issues)
            context.program.issues[index].only = core_of_plan(context.program.issues[index]);
}

}  // namespace ptosim::assembly
