#include "traces/analyse/calls.h"

#include <algorithm>

#include "isa/table/instruction_table.h"

namespace ptosim {

namespace {

bool same_call(const InstructionRecord& a, const SourceMap::Call* of_a, const InstructionRecord& b,
               const SourceMap::Call* of_b) {
    return of_a != nullptr && of_b != nullptr && a.location.file == b.location.file &&
           a.location.line == b.location.line && of_a->function == of_b->function;
}

}  // namespace

Calls::Calls(const Recording& recording) : recording_{recording} {
    if (!recording.sources.has_calls()) return;
    std::vector<std::vector<const InstructionRecord*>> cores(recording.cores.size());
    for (const InstructionRecord& record : recording.instructions)
        cores[record.core].push_back(&record);
    programs_.resize(cores.size());
    uint32_t number = 0;
    for (size_t core = 0; core < cores.size(); ++core) {
        std::sort(cores[core].begin(), cores[core].end(),
                  [](const auto* a, const auto* b) { return a->sequence < b->sequence; });
        const InstructionRecord* before = nullptr;
        const SourceMap::Call* call_before = nullptr;
        for (const InstructionRecord* record : cores[core]) {
            const SourceMap::Call* call = recording.sources.call(record->location, record->opcode);
            if (before == nullptr || !same_call(*before, call_before, *record, call)) ++number;
            programs_[core].push_back({record->sequence, call == nullptr ? 0 : number});
            before = record;
            call_before = call;
        }
    }
}

uint32_t Calls::number_of(uint16_t core, uint32_t sequence) const {
    const auto& program = programs_[core];
    const auto found =
        std::lower_bound(program.begin(), program.end(), sequence,
                         [](const Numbered& n, uint32_t s) { return n.sequence < s; });
    return found == program.end() || found->sequence != sequence ? 0 : found->number;
}

Calls::Shown Calls::shown(const Slice& slice) const {
    if (slice.activity == Activity::kRun) return {};
    if (slice.activity == Activity::kWait) {
        const WaitRecord& wait = recording_.waits[slice.index];
        if (wait.cause.reason == BlockReason::kQueueFull || wait.cause.opcode == Opcode::kCount)
            return {};
        return {number_of(wait.core, wait.sequence), wait.cause.waiter, wait.cause.opcode, false,
                wait.open};
    }
    const InstructionRecord& record = recording_.instructions[slice.index];
    return {number_of(record.core, record.sequence), record.location, record.opcode, true,
            !record.has(InstructionRecord::kCompleted)};
}

std::vector<CallSlice> Calls::on_lane(std::span<const Slice> slices) const {
    std::vector<CallSlice> result;
    if (programs_.empty()) return result;
    uint32_t current = 0;
    for (size_t i = 0; i < slices.size(); ++i) {
        const Slice& slice = slices[i];
        const Shown what = shown(slice);
        if (slice.begin == slice.end && !what.open) continue;
        const SourceMap::Call* const call =
            what.number == 0 ? nullptr : recording_.sources.call(what.at, what.opcode);
        if (call == nullptr) {
            current = 0;
            continue;
        }
        if (what.number != current) {
            CallSlice& added = result.emplace_back();
            added.first = i;
            added.slice = slice;
            added.call = call;
            added.at = what.at;
            current = what.number;
        }
        CallSlice& last = result.back();
        last.last = i;
        last.slice.end = slice.end;
        last.open |= what.open;
        last.instructions += what.instruction;
        const std::string name{info(what.opcode).name};
        if ((", " + last.names + ",").find(", " + name + ",") == std::string::npos)
            last.names += (last.names.empty() ? "" : ", ") + name;
    }
    return result;
}

}  // namespace ptosim
