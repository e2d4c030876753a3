#include "traces/write/data_text.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "isa/table/instruction_table.h"
#include "traces/analyse/labels.h"

namespace ptosim {

namespace {

constexpr uint32_t kRowsShown = 16, kColumnsShown = 12;
constexpr size_t kInstructionsShown = 4;
constexpr size_t kColumnWidth = 13;

std::string shortest(double value) {
    char text[64];
    return {text,
            std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr};
}

std::string padded(std::string text, size_t width) {
    return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

// The elements of a tile from here on; infinities and NaN are written in capitals.
void add_elements(std::string& text, const TileValues& tile, const DataQuery& query) {
    const uint32_t rows = std::min(tile.rows, query.row + kRowsShown);
    const uint32_t columns = std::min(tile.columns, query.column + kColumnsShown);
    text += padded("", 6);
    for (uint32_t column = query.column; column < columns; ++column)
        text += padded("[" + std::to_string(column) + "]", kColumnWidth);
    text += "\n";
    for (uint32_t row = query.row; row < rows; ++row) {
        text += padded("[" + std::to_string(row) + "]", 6);
        for (uint32_t column = query.column; column < columns; ++column) {
            std::string element = tile.text_at(row, column);
            if (element == "nan" || element == "inf" || element == "-inf")
                for (char& c : element) c = c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
            text += padded(std::move(element), kColumnWidth);
        }
        text += "\n";
    }
    if (rows < tile.rows || columns < tile.columns)
        text += padded("", 6) + "  ... (--data-from ROW,COL shows others)\n";
}

std::string shown(const Recording& recording, const KeptInstruction& kept, const DataQuery& query) {
    std::string text = instruction_text(recording, *kept.instruction) + ", cycles " +
                       std::to_string(kept.instruction->started) + " to " +
                       std::to_string(kept.instruction->completed) + "\n";
    for (const ValuesRecord* operand : kept.operands) {
        char address[32];
        const auto end = std::to_chars(address, address + sizeof address, operand->address, 16);
        text += std::string(operand->role == OperandSet::kRead ? "  reads  " : "  writes ") +
                std::string(name(operand->space)) + " @0x" + std::string(address, end.ptr) + ": " +
                facts_text(recording, *operand) + "\n";
        if (operand->tile != ValuesRecord::kNotKept)
            add_elements(text, recording.tiles[operand->tile], query);
    }
    return text;
}

// True if the words name the instruction's line, with a file or without one.
bool is_line(const Recording& recording, const InstructionRecord& record, std::string_view what) {
    if (record.location.line == 0) return false;
    const std::string location = recording.sources.text(record.location);
    if (what.find(':') == what.npos) return std::to_string(record.location.line) == what;
    return location == what || (location.size() > what.size() && location.ends_with(what) &&
                                location[location.size() - what.size() - 1] == '/');
}

std::string instruction_word(const Recording& recording, const InstructionRecord& record) {
    return name(recording.cores[record.core]) + ":" + std::to_string(record.sequence);
}

}  // namespace

std::string instruction_text(const Recording& recording, const InstructionRecord& record) {
    return located_name(recording, record) + " on " + name(recording.cores[record.core]) + " (instruction " +
           std::to_string(record.sequence) + ")";
}

std::string facts_text(const Recording& recording, const ValuesRecord& values) {
    std::string text;
    if (values.tile != ValuesRecord::kNotKept) {
        const TileValues& tile = recording.tiles[values.tile];
        text = std::to_string(tile.rows) + "x" + std::to_string(tile.columns) + " " +
               std::string(name(tile.dtype)) + ", ";
    }
    const TileFacts& facts = values.facts;
    text += shortest(facts.least) + " to " + shortest(facts.most);
    if (facts.nans > 0) text += ", " + std::to_string(facts.nans) + " NaN";
    if (facts.infinities > 0) text += ", " + std::to_string(facts.infinities) + " infinite";
    if (values.tile == ValuesRecord::kNotKept) text += " (no room for its values)";
    return text;
}

std::string mismatch_text(const Recording& recording, const MismatchRecord& m) {
    std::string text = "parameter " + std::to_string(m.parameter) + ": " +
                       std::to_string(m.differ) + " of " + std::to_string(m.elements) +
                       " elements differ from " + m.file + ", first at " + m.index + ": found " +
                       m.found + ", expected " + m.expected;
    if (m.writer == MismatchRecord::kNobody) return text + "; it was never written";
    if (m.writer == MismatchRecord::kScalarUnit)
        return text + "; the scalar unit of " + name(m.core) + " last wrote it";
    if (m.writer == MismatchRecord::kUnknown) return text;
    const InstructionRecord* const record = find_instruction(recording, m.core, m.sequence);
    if (record == nullptr) return text;
    text += "; " + instruction_text(recording, *record) + " wrote it";
    if (m.row >= 0)
        text +=
            ", from [" + std::to_string(m.row) + ", " + std::to_string(m.column) + "] of its tile";
    return text;
}

std::string data_text(const Recording& recording, const DataQuery& query) {
    if (recording.values.empty())
        fail_input("I44", "the recording holds no data", "record with --keep-data MIB");
    std::vector<const KeptInstruction*> chosen;
    const std::vector<KeptInstruction> all = kept_instructions(recording);
    std::set<uint16_t> cores;  // that the line has been met on
    for (const KeptInstruction& kept : all)
        if (instruction_word(recording, *kept.instruction) == query.what ||
            (is_line(recording, *kept.instruction, query.what) &&
             cores.insert(kept.instruction->core).second))
            chosen.push_back(&kept);
    if (chosen.empty())
        fail_input("I44", "no data of '" + query.what + "' was kept",
                   "a line (150, kernel.pto:150) or an instruction by core and number (" +
                       (all.empty() ? std::string("AIC00:57")
                                    : instruction_word(recording, *all.front().instruction)) +
                       "); data of " + std::to_string(all.size()) + " instructions was kept");
    std::string text;
    for (size_t i = 0; i < std::min(kInstructionsShown, chosen.size()); ++i)
        text += (i == 0 ? "" : "\n") + shown(recording, *chosen[i], query);
    if (chosen.size() > kInstructionsShown) {
        text += "\nalso kept:";
        for (size_t i = kInstructionsShown; i < chosen.size(); ++i)
            text += " " + instruction_word(recording, *chosen[i]->instruction);
        text += "\n";
    }
    return text;
}

}  // namespace ptosim
