#include "traces/labels.h"

#include <nlohmann/json.hpp>

#include "isa/instruction_table.h"

namespace ptosim {

namespace {

uint32_t extent(int64_t value) {
    return static_cast<uint32_t>(std::clamp<int64_t>(value, 0, UINT32_MAX));
}

std::string digits_text(uint64_t value, unsigned digits) {
    std::string text = std::to_string(value);
    return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

}  // namespace

bool is_sync(Opcode opcode) { return info(opcode).timing == TimingClass::kFlag; }

void describe_operands(const Instruction& instruction, InstructionRecord& record) {
    if (is_sync(instruction.opcode)) {
        record.place[0] = static_cast<uint8_t>(instruction.attributes.source_pipe);
        record.place[1] = static_cast<uint8_t>(instruction.attributes.destination_pipe);
        record.dtype[0] = instruction.attributes.event_id;
        return;
    }
    unsigned n = 0;
    for (unsigned i = 0; i < instruction.operand_count && n < InstructionRecord::kOperands; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_tile()) {
            record.place[n] = static_cast<uint8_t>(1 + static_cast<unsigned>(operand.tile.space));
            record.dtype[n] = static_cast<uint8_t>(operand.tile.dtype);
            record.rows[n] = extent(operand.tile.valid_rows);
            record.cols[n++] = extent(operand.tile.valid_cols);
        } else if (operand.is_global()) {
            record.place[n] = InstructionRecord::kGlobalPlace;
            record.dtype[n] = static_cast<uint8_t>(operand.global.dtype);
            record.rows[n] = extent(operand.global.matrix_rows());
            record.cols[n++] = extent(operand.global.matrix_cols());
        }
    }
}

std::string operands_text(const InstructionRecord& record) {
    std::string text;
    if (record.has(InstructionRecord::kSync)) {
        const uint32_t attributes = info(record.opcode).attributes;
        const Pipe source = static_cast<Pipe>(record.place[0]);
        const Pipe destination = static_cast<Pipe>(record.place[1]);
        if ((attributes & kAttrPipes) != 0) {
            // A barrier names one pipe, a cross-core set or wait may name one of the two.
            if (source != Pipe::kAll) text += std::string(name(source)) + "->";
            text += name(destination);
        }
        if ((attributes & kAttrEvent) != 0)
            text += (text.empty() ? "#" : " #") + std::to_string(record.dtype[0]);
        return text;
    }
    for (unsigned i = 0; i < InstructionRecord::kOperands; ++i) {
        if (record.place[i] == InstructionRecord::kNoPlace) continue;
        if (!text.empty()) text += ", ";
        text += record.place[i] == InstructionRecord::kGlobalPlace
                    ? std::string_view("GM")
                    : name(static_cast<Space>(record.place[i] - 1));
        text += ' ';
        text += name(static_cast<DType>(record.dtype[i]));
        text += ' ' + std::to_string(record.rows[i]) + 'x' + std::to_string(record.cols[i]);
    }
    return text;
}

uint64_t moved_bytes(const InstructionRecord& record) {
    const TimingClass timing = info(record.opcode).timing;
    if (timing != TimingClass::kLoad && timing != TimingClass::kStore &&
        timing != TimingClass::kLocalMove)
        return 0;
    // What crosses the boundary of global memory; padding that a load adds does not.
    unsigned which = 0;
    for (unsigned i = 0; i < InstructionRecord::kOperands; ++i)
        if (record.place[i] == InstructionRecord::kGlobalPlace) which = i;
    if (record.place[which] == InstructionRecord::kNoPlace) return 0;
    return bytes(static_cast<DType>(record.dtype[which]),
                 size_t{record.rows[which]} * record.cols[which]);
}

const std::string& LocationTexts::quoted(SourceLocation location) {
    const uint64_t key = uint64_t{location.file} << 32 | location.line;
    const auto [entry, added] = texts_.try_emplace(key);
    if (added) entry->second = json_quoted(sources_.text(location));
    return entry->second;
}

std::string json_quoted(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

uint64_t picoseconds(Cycle cycle, uint64_t clock_hz) {
    if (clock_hz == 0) return cycle * 1000;
    // Long division, digit by digit: exact for any cycle without 128-bit integers.
    uint64_t result = cycle / clock_hz;
    uint64_t rest = cycle % clock_hz;
    for (int digit = 0; digit < 12; ++digit) {
        rest *= 10;
        result = result * 10 + rest / clock_hz;
        rest %= clock_hz;
    }
    return result;
}

std::string micros_text(uint64_t picoseconds) {
    return std::to_string(picoseconds / 1'000'000) + '.' + digits_text(picoseconds % 1'000'000, 6);
}

std::string decimal_text(uint64_t numerator, uint64_t denominator, unsigned digits) {
    uint64_t scale = 1;
    for (unsigned i = 0; i < digits; ++i) scale *= 10;
    if (denominator == 0) denominator = 1;
    const uint64_t whole = numerator / denominator;
    const uint64_t rest = numerator % denominator;
    const uint64_t scaled = whole * scale + (rest * scale + denominator / 2) / denominator;
    std::string text = std::to_string(scaled / scale);
    if (digits > 0) text += '.' + digits_text(scaled % scale, digits);
    return text;
}

}  // namespace ptosim
