// Words for records, the same in every file format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traces/record/recording.h"

namespace ptosim {

// "DataCopy (copy_gm_to_ubuf)": the call that issues instructions of this opcode at a location, and the
// instruction; where the line issues it itself, the instruction alone.
std::string issued_name(const Recording& recording, SourceLocation at, Opcode opcode);
inline std::string issued_name(const Recording& recording, const InstructionRecord& record) {
    return issued_name(recording, record.location, record.opcode);
}
// "DataCopy (copy_gm_to_ubuf) at add.asc:31".
std::string located_name(const Recording& recording, const InstructionRecord& record);

// "UB f32 16x256, GM f32 16x256"; of sync instructions "MTE2->V #0".
std::string operands_text(const Recording& recording, const InstructionRecord& record);
// Like operands_text(), with the addresses of tiles: "UB f32 16x256 @0x400".
std::string located_operands_text(const Recording& recording, const InstructionRecord& record);
// Bytes that a load, store or move carries: the valid region. 0 for what computes.
uint64_t moved_bytes(const Recording& recording, const InstructionRecord& record);
// True if the source line is a push, pop or release of a FIFO between cores; its flags are then
// part of it.
bool is_fifo(const Recording& recording, SourceLocation location);

// Picoseconds from the chip's start to a cycle, rounded down. Without a clock a cycle is 1 ns.
uint64_t picoseconds(Cycle cycle, uint64_t clock_hz);
// Microseconds with six digits: "12.345678".
std::string micros_text(uint64_t picoseconds);
// `digits` places after the point, rounded half up: decimal_text(1, 3, 2) is "0.33".
std::string decimal_text(uint64_t numerator, uint64_t denominator, unsigned digits);

}  // namespace ptosim
