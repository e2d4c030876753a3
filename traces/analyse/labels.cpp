#include "traces/analyse/labels.h"

#include <cctype>
#include <cstdio>

#include "isa/table/instruction_table.h"

namespace ptosim {

namespace {

std::string digits_text(uint64_t value, unsigned digits) {
    std::string text = std::to_string(value);
    return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

}  // namespace

namespace {

std::string sync_text(const InstructionRecord& record, const OperandSet& set) {
    std::string text;
    const AttributeSet attributes = info(record.opcode).attributes;
    const Pipe source = static_cast<Pipe>(set.items[0].memory);
    const Pipe destination = static_cast<Pipe>(set.items[1].memory);
    if (attributes.has(kAttrPipes)) {
        // A barrier is about one pipe, a cross-core set or wait may be.
        const bool one = source == destination || destination == Pipe::kAll;
        if (one || source == Pipe::kAll)
            text += name(one ? source : destination);
        else
            text += std::string(name(source)) + "->" + std::string(name(destination));
    }
    if (attributes.has(kAttrEvent))
        text += (text.empty() ? "#" : " #") + std::to_string(set.items[0].dtype);
    return text;
}

std::string set_text(const InstructionRecord& record, const OperandSet& set, bool addresses) {
    if (record.has(InstructionRecord::kSync)) return sync_text(record, set);
    std::string text;
    for (const OperandSet::Item& item : set.items) {
        if (item.memory == OperandSet::kNoMemory) continue;
        const bool global = item.memory == OperandSet::kGlobalMemory;
        if (!text.empty()) text += ", ";
        text += global ? std::string_view("GM") : name(static_cast<Space>(item.memory - 1));
        text += ' ';
        text += name(static_cast<DType>(item.dtype));
        text += ' ' + std::to_string(item.rows) + 'x' + std::to_string(item.cols);
        if (addresses && !global) {
            char address[16];
            std::snprintf(address, sizeof address, " @0x%x", item.address);
            text += address;
        }
    }
    return text;
}

}  // namespace

std::string issued_name(const Recording& recording, SourceLocation at, Opcode opcode) {
    const std::string instruction{info(opcode).name};
    const SourceMap::Call* const call = recording.sources.call(at, opcode);
    return call == nullptr ? instruction : call->function + " (" + instruction + ")";
}

std::string located_name(const Recording& recording, const InstructionRecord& record) {
    const std::string at = recording.sources.text(record.location);
    return issued_name(recording, record) + (at.empty() ? "" : " at " + at);
}

std::string operands_text(const Recording& recording, const InstructionRecord& record) {
    return set_text(record, recording.operands_of(record), false);
}

std::string located_operands_text(const Recording& recording, const InstructionRecord& record) {
    return set_text(record, recording.operands_of(record), true);
}

uint64_t moved_bytes(const Recording& recording, const InstructionRecord& record) {
    const TimingClass timing = info(record.opcode).timing;
    if (timing != TimingClass::kLoad && timing != TimingClass::kStore &&
        timing != TimingClass::kLocalMove)
        return 0;
    // Counts bytes that cross the boundary of global memory, not the padding that a load adds.
    const OperandSet& set = recording.operands_of(record);
    const OperandSet::Item* which = &set.items[0];
    for (const OperandSet::Item& item : set.items)
        if (item.memory == OperandSet::kGlobalMemory) which = &item;
    if (which->memory == OperandSet::kNoMemory) return 0;
    return bytes(static_cast<DType>(which->dtype), size_t{which->rows} * which->cols);
}

bool is_fifo(const Recording& recording, SourceLocation location) {
    std::string line(recording.sources.line(location));
    for (char& c : line) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char* word : {"tpush", "tpop", "tfree", "talloc"})
        if (line.find(word) != std::string::npos) return true;
    return false;
}

uint64_t picoseconds(Cycle cycle, uint64_t clock_hz) {
    if (clock_hz == 0) return cycle * 1000;
    constexpr uint64_t kMega = 1'000'000;
    if (clock_hz % kMega == 0 && cycle < UINT64_MAX / kMega)
        return cycle * kMega / (clock_hz / kMega);
    // Long division, six digits at a time: exact for any cycle without 128-bit integers, as long as
    // a clock is below 10^13 Hz.
    uint64_t result = cycle / clock_hz;
    uint64_t rest = cycle % clock_hz;
    for (int part = 0; part < 2; ++part) {
        rest *= 1'000'000;
        result = result * 1'000'000 + rest / clock_hz;
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
