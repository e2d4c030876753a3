// The coverage page, from the instruction table, the legality rules and the counts of golden cases.
#include <array>
#include <map>

#include "isa/core/arch.h"
#include "isa/legality/legality.h"
#include "isa/pages/reference.h"
#include "isa/table/profile_rules.h"

namespace ptosim {

namespace {

struct Cases {
    std::string_view name;
    std::array<unsigned, 3> count;  // all, a2a3, a5
};

std::array<unsigned, 3> cases_of(Opcode opcode) {
    static constexpr Cases kCases[] = {
#include "isa/semantics/golden_counts.def"
    };
    for (const Cases& cases : kCases)
        if (cases.name == info(opcode).name) return cases.count;
    return {};
}

unsigned count_types(DTypeSet types) {
    unsigned count = 0;
    for (unsigned i = 0; i < static_cast<unsigned>(DType::kCount); ++i)
        count += types.contains(static_cast<DType>(i)) ? 1 : 0;
    return count;
}

std::string number(unsigned value) { return std::to_string(value); }

// Rules beyond check_operands, which every instruction has.
unsigned count_rules(const InstructionInfo& row) {
    unsigned count = 0;
    for (const LegalityRule* rule : row.rules) count += rule != nullptr ? 1 : 0;
    return count;
}

unsigned count_profile_rules(Opcode opcode) {
    unsigned count = 0;
    for (const ProfileRule& rule : profile_rules()) count += shows_in(rule, opcode) ? 1 : 0;
    return count;
}

// "9 types, 12 cases".
std::string on(const InstructionInfo& row, Arch arch) {
    const DTypeSet types = row.types[static_cast<size_t>(arch)];
    if (row.semantics == nullptr) return "-";
    if (types.empty()) return "not there";
    return number(count_types(types)) + " types, " + number(golden_cases(row.opcode, arch)) +
           " cases";
}

void add_instructions(std::string& page) {
    page +=
        "| instruction | meaning | legality rules | profile rules | a2a3 | a5 | golden "
        "cases "
        "|\n|---|---|--:|--:|---|---|--:|\n";
    unsigned computing = 0, total = 0;
    for (const InstructionInfo& row : instruction_table()) {
        const bool computes = row.semantics != nullptr;
        const unsigned cases = golden_cases(row.opcode);
        computing += computes ? 1 : 0;
        total += cases;
        page += "| " + std::string(row.name) + " | " +
                (computes ? "`semantics::" + std::string(row.name) + "`" : "the machine's") +
                " | " + number(count_rules(row)) + " | " + number(count_profile_rules(row.opcode)) +
                " | " + on(row, Arch::kA2A3) + " | " + on(row, Arch::kA5) + " | " +
                (computes ? number(cases) : "-") + " |\n";
    }
    page += "\n" + number(computing) + " instructions compute, with " + number(total) +
            " golden cases; " +
            number(static_cast<unsigned>(instruction_table().size()) - computing) +
            " are the machine's own: flags, barriers, settings, hints and printing, with tests in "
            "`sim/` "
            "and `tests/cli/`. " +
            number(static_cast<unsigned>(other_names().size())) +
            " further names of the C++ API are explained in [instructions](instructions.md).\n";
}

void add_codes(std::string& page) {
    std::map<std::string, std::string> by_code;
    for (const LegalityRule* rule : rules::all_rules()) {
        std::string_view rest = rule->codes;
        while (!rest.empty()) {
            const size_t end = std::min(rest.find(' '), rest.size());
            std::string& names = by_code[std::string(rest.substr(0, end))];
            names += (names.empty() ? "`" : ", `") + std::string(rule->name) + "`";
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    page += "| code | rules that report it |\n|---|---|\n";
    for (const auto& [code, names] : by_code) page += "| " + code + " | " + names + " |\n";
}

}  // namespace

unsigned golden_cases(Opcode opcode) { return cases_of(opcode)[0]; }

unsigned golden_cases(Opcode opcode, Arch arch) {
    return cases_of(opcode)[traits_of(arch).vector_operands == VectorOperands::kMemory ? 1 : 2];
}

std::string coverage_page() {
    std::string page =
        "# Coverage\n\n"
        "Made by `ptosim isa --coverage`; do not edit.\n\n"
        "A golden case is an instruction with its bytes before and after, computed by numpy and "
        "exact "
        "fractions\n(`isa/semantics/make_goldens.py`), and compared byte by byte. Tests fail if an "
        "instruction that computes\nhas none, if a type that an architecture takes has none, or if "
        "legality accepts a combination without meaning.\nCases of a2a3 are run as a2a3 only, but "
        "cover "
        "both architectures where these are alike.\n\n## Instructions\n\n";
    add_instructions(page);
    page +=
        "\n## Codes of legality\n\n"
        "A test (`isa/semantics/rules_test.cpp`) fails if a rule has a code that no changed golden "
        "case "
        "makes it\nreport, or reports one that it does not have. Each code of "
        "the [catalogue](diagnostics.md) is also triggered by name, here\n"
        "(`isa/legality/legality_codes_test.cpp`) or from outside (`tests/cli/codes_test.py`); "
        "`tests/cli/documents_test.py` fails if one is not.\n\n";
    add_codes(page);
    return page;
}

}  // namespace ptosim
