#include "sim/check/footprint.h"

#include "isa/core/thread_effects.h"
#include "isa/table/instruction_table.h"
#include "isa/table/internal_flags.h"
#include "isa/table/remote_operands.h"

namespace ptosim::check {

void Footprints::launch(size_t lanes, Arch arch) {
    arch_ = arch;
    queues_.clear();
    queues_.resize(lanes);
}

void Footprints::add_threads(CoreId core, const Instruction& instruction, Footprint& footprint) const {
    constexpr uint8_t kReadOperand = 1, kWrittenOperand = 2;
    for (const ThreadRange& range : thread_effects(instruction).ranges)
        footprint.push_back({.region = {range.begin, range.end - range.begin, 0, 1},
                             .global = range.global,
                             .space = Space::kUB,
                             .memory = timelines_.index(core),
                             .operand = range.writes ? kWrittenOperand : kReadOperand,
                             .reads = range.reads,
                             .writes = range.writes,
                             .atomic = range.atomic});
}

const Footprint& Footprints::issue(size_t lane, CoreId core, const Instruction& instruction) {
    Footprint footprint;
    if (!spare_.empty()) {
        footprint = std::move(spare_.back());
        spare_.pop_back();
    }
    footprint.clear();
    const InstructionInfo& row = info(instruction.opcode);
    if (row.timing == TimingClass::kThreads) add_threads(core, instruction, footprint);
    if (row.timing != TimingClass::kFlag) {
        for (const Access& access : accesses(instruction)) {
            const bool scratch = row.operands[access.operand].role == OperandRole::kTmp;
            if (scratch && !touches_scratch(instruction, arch_)) continue;
            Piece piece;
            piece.global = access.global;
            piece.space = access.space;
            piece.operand = access.operand;
            piece.writes = access.writes;
            piece.atomic = access.global && access.writes &&
                           instruction.attributes.atomic != AtomicMode::kNone;
            piece.reads = access.reads && !scratch;
            regions_of(access, instruction, regions_);
            if (scratch)
                if (const auto shortage = scratch_shortage(instruction, arch_))
                    regions_ = {{access.begin, shortage->reach, 0, 1}};
            if (written_by_scalar_unit(instruction, access.operand, arch_))
                regions_ = {{access.begin, row.traits->scratch_bytes[arch_](instruction), 0, 1}};
            const auto add = [&](CoreId owner) {
                piece.memory = timelines_.index(owner);
                for (const Region& region : regions_) {
                    piece.region = region;
                    footprint.push_back(piece);
                }
            };
            if (access.peers == kOwnCore)
                add(core);
            else
                for (const CoreId owner : timelines_.owners(core, access)) add(owner);
        }
    }
    queues_[lane].push_back(std::move(footprint));
    return queues_[lane].back();
}

const Footprint& Footprints::start(size_t lane) {
    spare_.push_back(std::move(current_));
    current_ = std::move(queues_[lane].front());
    queues_[lane].pop_front();
    return current_;
}

}  // namespace ptosim::check
