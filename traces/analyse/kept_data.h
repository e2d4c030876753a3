// Data of a recording with --keep-data.
#pragma once

#include <optional>
#include <vector>

#include "traces/record/recording.h"

namespace ptosim {

// Null if there is none.
const InstructionRecord* find_instruction(const Recording& recording, CoreId core,
                                          uint32_t sequence);

// Operands of one instruction, as a range of Recording::values.
struct KeptInstruction {
    const InstructionRecord* instruction = nullptr;
    std::vector<const ValuesRecord*> operands;  // read ones first
};
// Recorded instructions with kept data, in order of completion.
std::vector<KeptInstruction> kept_instructions(const Recording& recording);

// The first instruction that has written a NaN (an infinity) and read none.
struct FirstOdd {
    const InstructionRecord* instruction = nullptr;
    const ValuesRecord* operand = nullptr;
};
struct DataSummary {
    uint64_t instructions = 0, operands = 0, without_values = 0, tile_bytes = 0;
    std::optional<FirstOdd> nan, infinity;
};
DataSummary data_summary(const Recording& recording);

}  // namespace ptosim
