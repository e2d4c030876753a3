// Words for records, the same in every file format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "isa/instruction_table.h"
#include "traces/record/recording.h"

namespace ptosim {

// What is shown of an instruction's operands.
OperandSet describe_operands(const Instruction& instruction);
// The same without the bytes that tiles touch, which take longest to find.
OperandSet describe_shapes(const Instruction& instruction);
// "UB f32 16x256, GM f32 16x256"; of sync instructions "MTE2->V #0".
std::string operands_text(const Recording& recording, const InstructionRecord& record);
// The same with the addresses of tiles: "UB f32 16x256 @0x400".
std::string located_operands_text(const Recording& recording, const InstructionRecord& record);
// Bytes that a load, store or move carries: the valid region. 0 for what computes.
uint64_t moved_bytes(const Recording& recording, const InstructionRecord& record);
inline bool is_sync(Opcode opcode) { return info(opcode).timing == TimingClass::kFlag; }
// Whether the text at a place is a push, pop or release of a FIFO between cores, whose flags are
// then part of it.
bool is_fifo(const Recording& recording, SourceLocation location);

// "file:line" texts, quoted for JSON, each made once.
class LocationTexts {
 public:
    explicit LocationTexts(const Sources& sources) : sources_{sources} {}
    // "\"gemm.pto:87\""; "\"\"" if unknown.
    const std::string& quoted(SourceLocation location);

 private:
    const Sources& sources_;
    std::unordered_map<uint64_t, std::string> texts_;
};

// Whether a JSON string can hold a text as it is: printable ASCII but for the quotation mark and
// the backslash.
bool is_plain(std::string_view text);
// A JSON string literal. Bytes that are no UTF-8 become U+FFFD: files must load, whatever the
// kernel's file is called.
std::string json_quoted(std::string_view text);
// The shortest digits that are this number: "0.5", "1.0".
std::string json_number(double number);

// Picoseconds from the chip's start to a cycle, rounded down. Without a clock a cycle is 1 ns.
uint64_t picoseconds(Cycle cycle, uint64_t clock_hz);
// Microseconds with six digits: "12.345678".
std::string micros_text(uint64_t picoseconds);
// `digits` places after the point, rounded half up: decimal_text(1, 3, 2) is "0.33".
std::string decimal_text(uint64_t numerator, uint64_t denominator, unsigned digits);

}  // namespace ptosim
