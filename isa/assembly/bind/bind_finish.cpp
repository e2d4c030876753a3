// After all operations are bound: what is told about the program, and which cores run what.
#include <algorithm>

#include "isa/assembly/bind/binder_state.h"

namespace ptosim::assembly {

void Binder::fill(BindRecord& record) const {
    record.warnings = warnings_;
    record.origins = origins_;
    record.origins.resize(program_.steps.size());
    std::vector<const Operation*> seen;
    for (const TileHome& home : homes_) {
        // What serves as scratch that nothing touches (a5) has no room, and asks for none again.
        if (home.bytes == 0) continue;
        if (!home.planned || std::find(seen.begin(), seen.end(), home.operation) != seen.end())
            continue;
        seen.push_back(home.operation);
        const Tile& tile = program_.tiles[program_.steps[home.step].index];
        BindRecord::Place place{home.operation, tile.address, {}, home.scratch_operand};
        if (home.is_scratch) place.scratch = scratch_type(tile);
        record.places.push_back(std::move(place));
    }
    for (const auto& [name, buffer] : reserved_)
        if (buffer.planned && buffer.operation != nullptr)
            record.places.push_back({buffer.operation, program_.scalars[buffer.address], {}, 0});
}

// The only core type that can run an instruction, if there is only one.
std::optional<CoreType> Binder::core_of_plan(const IssuePlan& plan) const {
    const Instruction& instruction = plan.prototype;
    if (instruction.opcode == Opcode::kSYNCALL) {
        if (instruction.attributes.sync_cores == SyncCores::kMix) return std::nullopt;
        return instruction.attributes.sync_cores == SyncCores::kAIC ? CoreType::kAIC
                                                                    : CoreType::kAIV;
    }
    if ((info(instruction.opcode).attributes & kAttrPipes) == 0) return core_of(instruction);
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
void Binder::place_cores() {
    bool needs_aic = false, needs_aiv = unsectioned_transfer_;
    for (const uint32_t index : unsectioned_issues_) {
        const auto core = core_of_plan(program_.issues[index]);
        if (core == CoreType::kAIC) needs_aic = true;
        if (core == CoreType::kAIV) needs_aiv = true;
        // A barrier of both core types is there for both.
        if (program_.issues[index].prototype.opcode == Opcode::kSYNCALL && !core)
            needs_aic = needs_aiv = true;
    }
    aic_section_ |= needs_aic;
    aiv_section_ |= needs_aiv;
    // Scalar code alone: one vector core does it.
    if (!aic_section_ && !aiv_section_) aiv_section_ = true;
    if (aic_section_ && aiv_section_)
        for (const uint32_t index : unsectioned_issues_)
            program_.issues[index].only = core_of_plan(program_.issues[index]);
}

}  // namespace ptosim::assembly
