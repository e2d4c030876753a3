#include "traces/analyse/kept_data.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ptosim {

namespace {

using Key = std::pair<uint32_t, uint32_t>;  // core and sequence number
uint32_t core_key(CoreId core) { return static_cast<uint32_t>(core.type) << 16 | core.index; }

// True if `count` of the facts counts elements in a written tile and none in the tiles read.
bool makes(const KeptInstruction& kept, uint64_t TileFacts::*count, const ValuesRecord*& written) {
    written = nullptr;
    for (const ValuesRecord* operand : kept.operands) {
        if (operand->facts.*count == 0) continue;
        if (operand->role == OperandSet::kRead) return false;
        if (written == nullptr) written = operand;
    }
    return written != nullptr;
}

}  // namespace

const InstructionRecord* find_instruction(const Recording& recording, CoreId core,
                                          uint32_t sequence) {
    for (const InstructionRecord& record : recording.instructions)
        if (record.sequence == sequence && recording.cores[record.core] == core) return &record;
    return nullptr;
}

std::vector<KeptInstruction> kept_instructions(const Recording& recording) {
    std::map<Key, size_t> numbers;
    std::vector<KeptInstruction> list;
    for (const ValuesRecord& values : recording.values) {
        const auto [entry, added] =
            numbers.try_emplace({core_key(values.core), values.sequence}, list.size());
        if (added) list.emplace_back();
        list[entry->second].operands.push_back(&values);
    }
    if (list.empty()) return list;
    for (const InstructionRecord& record : recording.instructions) {
        const auto entry = numbers.find({core_key(recording.cores[record.core]), record.sequence});
        if (entry != numbers.end()) list[entry->second].instruction = &record;
    }
    std::erase_if(list, [](const KeptInstruction& kept) { return kept.instruction == nullptr; });
    return list;
}

DataSummary data_summary(const Recording& recording) {
    DataSummary summary;
    for (const TileValues& tile : recording.tiles) summary.tile_bytes += tile.bytes.size();
    for (const KeptInstruction& kept : kept_instructions(recording)) {
        ++summary.instructions;
        for (const ValuesRecord* operand : kept.operands) {
            ++summary.operands;
            summary.without_values += operand->tile == ValuesRecord::kNotKept;
        }
        const ValuesRecord* written = nullptr;
        if (!summary.nan && makes(kept, &TileFacts::nans, written))
            summary.nan = FirstOdd{kept.instruction, written};
        if (!summary.infinity && makes(kept, &TileFacts::infinities, written))
            summary.infinity = FirstOdd{kept.instruction, written};
    }
    return summary;
}

}  // namespace ptosim
