#include "isa/pages/reference.h"

#include "isa/legality/legality.h"
#include "isa/table/attributes.h"
#include "isa/table/physical_layout.h"
#include "isa/table/profile_rules.h"

namespace ptosim {

std::string_view text(PipeRule rule) {
    switch (rule) {
        case PipeRule::kScalar:
            return "S";
        case PipeRule::kVector:
            return "V";
        case PipeRule::kCube:
            return "M";
        case PipeRule::kLoad:
            return "MTE2";
        case PipeRule::kStore:
            return "MTE3, FIX from L0C";
        case PipeRule::kMove:
            return "MTE1, FIX, V or MTE3 by its memories";
        case PipeRule::kFill:
            return "V, MTE2 on L1";
        case PipeRule::kGather:
            return "MTE2; V into UB on a5";
        case PipeRule::kScatter:
            return "MTE3; V on a5";
        case PipeRule::kFlag:
            return "the pipe it names";
    }
    return "";
}

std::string_view text(OperandRole role) {
    switch (role) {
        case OperandRole::kOut:
            return "out";
        case OperandRole::kIn:
            return "in";
        case OperandRole::kInOut:
            return "in/out";
        case OperandRole::kTmp:
            return "scratch";
    }
    return "";
}

std::string kinds_text(uint8_t kinds) {
    std::string result;
    const auto add = [&](const char* word) {
        result += (result.empty() ? "" : " or ") + std::string(word);
    };
    if ((kinds & kTileOperand) != 0) add("tile");
    if ((kinds & kGlobalOperand) != 0) add("global view");
    if ((kinds & kScalarOperand) != 0) add("scalar");
    return result;
}

namespace {

std::string escaped(std::string_view text) {
    std::string result;
    for (char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
}

// The names after the first one, in the order of the row.
std::string assembly_text(const InstructionInfo& row) {
    std::string result = "`pto." + std::string(row.assembly) + "`";
    std::string_view rest = row.aliases;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, end);
        const bool api = word[0] >= 'A' && word[0] <= 'Z';
        result += (api ? ", C++ `" : ", `pto.") + std::string(word) + "`";
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return result;
}

void add_types(std::string& page, const InstructionInfo& row) {
    if (row.semantics == nullptr) return;
    for (unsigned a = 0; a < kArchCount; ++a)
        page += "- " + std::string(name(static_cast<Arch>(a))) + ": " +
                (row.types[a].empty() ? std::string("not there") : to_text(row.types[a])) + "\n";
    page += "\n";
}

void add_attributes(std::string& page, const InstructionInfo& row) {
    bool any = false;
    for (const AttributeInfo& attribute : attribute_table()) {
        if (!row.attributes.has(attribute.set_of)) continue;
        page += (any ? "; `" : "Attributes: `") + std::string(attribute.key) +
                "`: " + std::string(attribute.values);
        any = true;
    }
    if (any) page += ".\n\n";
}

void add_pitches(std::string& page, const InstructionInfo& row) {
    const std::string a2a3 = pitch_text(row, Arch::kA2A3), a5 = pitch_text(row, Arch::kA5);
    if (a2a3.empty() && a5.empty()) return;
    if (a2a3 == a5) {
        page += "Pitch of boxes: " + a2a3 + ".\n\n";
        return;
    }
    page += "Pitch of boxes on a2a3: " + a2a3 + ".\n\nPitch of boxes on a5: " + a5 + ".\n\n";
}

void add_rules(std::string& page, const InstructionInfo& row) {
    for (const LegalityRule* rule : row.rules)
        if (rule != nullptr)
            page += "- " + std::string(rule->text) + " (" + std::string(rule->codes) + ")\n";
    for (const ProfileRule& rule : profile_rules()) {
        if (!shows_in(rule, row.opcode)) continue;
        page += "- profile " + std::string(name(rule.profile)) + ", " +
                std::string(name(rule.grade)) + ", `" + std::string(rule.name) +
                "`: " + std::string(rule.text) + " Source: " + std::string(rule.source) + "\n";
    }
    page += "\n";
}

void add_row(std::string& page, const InstructionInfo& row) {
    page += "### " + std::string(row.name) + "\n\n" + std::string(row.summary) + "\n\n";
    page += assembly_text(row) + ", pipe " + std::string(text(row.pipe)) + ".\n\n";
    if (!row.operands.empty()) {
        page += "| operand | role | kind |\n|---|---|---|\n";
        for (const OperandInfo& operand : row.operands)
            page += "| " + std::string(operand.name) + " | " + std::string(text(operand.role)) +
                    " | " + kinds_text(operand.kinds) + (operand.optional ? ", optional" : "") +
                    " |\n";
        page += "\n";
    }
    add_types(page, row);
    add_attributes(page, row);
    add_pitches(page, row);
    add_rules(page, row);
}

}  // namespace

std::string reference_page() {
    std::string page =
        "# Instruction reference\n\n"
        "Made by `ptosim isa --markdown`; do not edit. Codes are those of "
        "the [catalogue](diagnostics.md); tests: [coverage](coverage.md).\nEvery tile "
        "operand must also be well formed: " +
        std::string(rules::check_operands.text) + " (" + std::string(rules::check_operands.codes) +
        ").\n\n"
        "## Pitches of boxes\n\n"
        "Columns (NZ) or rows (ZN, ZZ) of boxes of a tile in L0A, L0B or L0C are a pitch apart. An "
        "instruction derives it from the tile's shape (of a window: of the tile that it is a window "
        "of), or from its valid region, rounded up to whole boxes. Two instructions that derive it "
        "from different fields disagree where fewer rows are valid than the tile has: A08.\n\n"
        "## Instructions\n\n";
    for (const InstructionInfo& row : instruction_table()) add_row(page, row);
    page += "## Other names of the C++ API\n\n| name | meaning |\n|---|---|\n";
    for (const OtherName& other : other_names())
        page += "| " + std::string(other.name) + " | " + escaped(other.text) + " |\n";
    page += "\n";
    page.pop_back();
    return page;
}

}  // namespace ptosim
