#include "traces/analyse/labels.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
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

OperandSet describe_operands(const Instruction& instruction) {
    OperandSet set = describe_shapes(instruction);
    if (is_sync(instruction.opcode)) return set;
    unsigned n = 0;
    for (unsigned i = 0; i < instruction.operand_count && n < OperandSet::kMost; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_tile())
            set.items[n].bytes = extent(static_cast<int64_t>(operand.tile.touched_bytes()));
        if (operand.is_tile() || operand.is_global()) ++n;
    }
    return set;
}

OperandSet describe_shapes(const Instruction& instruction) {
    OperandSet set;
    if (is_sync(instruction.opcode)) {
        set.items[0].place = static_cast<uint8_t>(instruction.attributes.source_pipe);
        set.items[1].place = static_cast<uint8_t>(instruction.attributes.destination_pipe);
        set.items[0].dtype = instruction.attributes.event_id;
        return set;
    }
    const auto& roles = info(instruction.opcode).operands;
    unsigned n = 0;
    for (unsigned i = 0; i < instruction.operand_count && n < OperandSet::kMost; ++i) {
        const Operand& operand = instruction.operands[i];
        OperandSet::Item& item = set.items[n];
        if (operand.is_tile()) {
            item.place = static_cast<uint8_t>(1 + static_cast<unsigned>(operand.tile.space));
            item.dtype = static_cast<uint8_t>(operand.tile.dtype);
            item.rows = extent(operand.tile.valid_rows);
            item.cols = extent(operand.tile.valid_cols);
            item.address = operand.tile.address;
        } else if (operand.is_global()) {
            item.place = OperandSet::kGlobalPlace;
            item.dtype = static_cast<uint8_t>(operand.global.dtype);
            item.rows = extent(operand.global.matrix_rows());
            item.cols = extent(operand.global.matrix_cols());
        } else {
            continue;
        }
        const OperandRole role = i < roles.size() ? roles[i].role : OperandRole::kIn;
        item.roles = role == OperandRole::kIn    ? OperandSet::kRead
                     : role == OperandRole::kOut ? OperandSet::kWritten
                                                 : OperandSet::kRead | OperandSet::kWritten;
        ++n;
    }
    return set;
}

namespace {

std::string sync_text(const InstructionRecord& record, const OperandSet& set) {
    std::string text;
    const uint32_t attributes = info(record.opcode).attributes;
    const Pipe source = static_cast<Pipe>(set.items[0].place);
    const Pipe destination = static_cast<Pipe>(set.items[1].place);
    if ((attributes & kAttrPipes) != 0) {
        // A barrier is about one pipe, a cross-core set or wait may be.
        const bool one = source == destination || destination == Pipe::kAll;
        if (one || source == Pipe::kAll)
            text += name(one ? source : destination);
        else
            text += std::string(name(source)) + "->" + std::string(name(destination));
    }
    if ((attributes & kAttrEvent) != 0)
        text += (text.empty() ? "#" : " #") + std::to_string(set.items[0].dtype);
    return text;
}

std::string set_text(const InstructionRecord& record, const OperandSet& set, bool addresses) {
    if (record.has(InstructionRecord::kSync)) return sync_text(record, set);
    std::string text;
    for (const OperandSet::Item& item : set.items) {
        if (item.place == OperandSet::kNoPlace) continue;
        const bool global = item.place == OperandSet::kGlobalPlace;
        if (!text.empty()) text += ", ";
        text += global ? std::string_view("GM") : name(static_cast<Space>(item.place - 1));
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
    // What crosses the boundary of global memory; padding that a load adds does not.
    const OperandSet& set = recording.operands_of(record);
    const OperandSet::Item* which = &set.items[0];
    for (const OperandSet::Item& item : set.items)
        if (item.place == OperandSet::kGlobalPlace) which = &item;
    if (which->place == OperandSet::kNoPlace) return 0;
    return bytes(static_cast<DType>(which->dtype), size_t{which->rows} * which->cols);
}

bool is_fifo(const Recording& recording, SourceLocation location) {
    std::string line(recording.sources.line(location));
    for (char& c : line) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char* word : {"tpush", "tpop", "tfree", "talloc"})
        if (line.find(word) != std::string::npos) return true;
    return false;
}

const std::string& LocationTexts::quoted(SourceLocation location) {
    const uint64_t key = uint64_t{location.file} << 32 | location.line;
    const auto [entry, added] = texts_.try_emplace(key);
    if (added) entry->second = json_quoted(sources_.text(location));
    return entry->second;
}

// Eight characters at a time.
bool is_plain(std::string_view text) {
    constexpr uint64_t kOnes = 0x0101010101010101, kHigh = 0x80 * kOnes;
    const auto has_zero = [](uint64_t x) { return (x - kOnes) & ~x & kHigh; };
    for (size_t at = 0; at < text.size(); at += 8) {
        uint64_t eight = 0x2020202020202020;
        std::memcpy(&eight, text.data() + at, std::min<size_t>(8, text.size() - at));
        const uint64_t below_space = (eight - 0x20 * kOnes) & ~eight & kHigh;
        const uint64_t beyond_tilde = ((eight + kOnes) | eight) & kHigh;
        if ((below_space | beyond_tilde | has_zero(eight ^ '"' * kOnes) |
             has_zero(eight ^ '\\' * kOnes)) != 0)
            return false;
    }
    return true;
}

std::string json_quoted(std::string_view text) {
    if (is_plain(text)) {
        std::string quoted;
        quoted.reserve(text.size() + 2);
        return quoted.append(1, '"').append(text).append(1, '"');
    }
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double number) {
    constexpr double kLeast = 1e-4, kMost = 1e15;  // between them, without an exponent
    if (number != 0 && (std::fabs(number) < kLeast || !(std::fabs(number) < kMost)))
        return nlohmann::json(number).dump();
    char digits[64];
    const auto [end, error] =
        std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed);
    std::string text(digits, end);
    return text.find('.') == std::string::npos ? text + ".0" : text;
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
