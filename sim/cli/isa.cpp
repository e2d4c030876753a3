// ptosim isa [OP]
#include <algorithm>
#include <cctype>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "isa/arch.h"
#include "isa/instruction_table.h"
#include "isa/legality.h"
#include "isa/profile_rules.h"
#include "isa/reference.h"
#include "sim/cli/commands.h"

namespace ptosim::cli {
namespace {

std::string_view profile_name(Numerics profile) {
    switch (profile) {
        case Numerics::kIEEE:
            return "ieee";
        case Numerics::kA2A3:
            return "a2a3";
        case Numerics::kA5:
            return "a5";
        case Numerics::kA5Templates:
            return "a5-templates";
    }
    return "";
}

nlohmann::ordered_json as_json(const InstructionInfo& row) {
    nlohmann::ordered_json operands = nlohmann::ordered_json::array();
    for (const OperandInfo& operand : row.operands)
        operands.push_back({{"name", operand.name},
                            {"role", text(operand.role)},
                            {"kind", kinds_text(operand.kinds)},
                            {"optional", operand.optional}});
    nlohmann::ordered_json types;
    for (unsigned a = 0; a < kArchCount; ++a)
        types[std::string(name(static_cast<Arch>(a)))] = to_text(row.types[a]);
    nlohmann::ordered_json legality = nlohmann::ordered_json::array();
    for (LegalityRule rule : row.rules)
        if (const rules::RuleText* words = rule != nullptr ? rules::describe(rule) : nullptr)
            legality.push_back(
                {{"rule", words->name}, {"codes", words->codes}, {"text", words->text}});
    nlohmann::ordered_json profiles = nlohmann::ordered_json::array();
    for (const ProfileRule& rule : profile_rules())
        if (rule.opcodes.contains(row.opcode))
            profiles.push_back({{"rule", rule.name},
                                {"profile", profile_name(rule.profile)},
                                {"grade", name(rule.grade)},
                                {"text", rule.text},
                                {"source", rule.source}});
    return {{"name", row.name},     {"assembly", row.assembly}, {"pipe", text(row.pipe)},
            {"operands", operands}, {"types", types},           {"summary", row.summary},
            {"legality", legality}, {"profile_rules", profiles}};
}

void print_rules(const InstructionInfo& row) {
    for (LegalityRule rule : row.rules) {
        const rules::RuleText* words = rule != nullptr ? rules::describe(rule) : nullptr;
        if (words != nullptr)
            std::cout << "  legal if  " << words->text << " [" << words->codes << "]\n";
    }
    for (const ProfileRule& rule : profile_rules())
        if (rule.opcodes.contains(row.opcode))
            std::cout << "  profile   " << profile_name(rule.profile) << ", " << name(rule.grade)
                      << ", " << rule.name << ": " << rule.text
                      << "\n            source: " << rule.source << "\n";
}

const OtherName* find_other(const std::string& word) {
    for (const OtherName& other : other_names()) {
        std::string small;
        for (char c : other.name) small += static_cast<char>(std::tolower(c));
        if (word == other.name || word == small) return &other;
    }
    return nullptr;
}

void list(std::string_view name, std::string_view text) {
    std::cout << name << std::string(name.size() < 20 ? 20 - name.size() : 1, ' ') << text << "\n";
}

// The API's names of other forms of a row ("TMOV_FP").
void list_api_names(const InstructionInfo& row) {
    std::string_view rest = row.aliases;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, end);
        if (word[0] == 'T') list(word, "a form of " + std::string(row.name));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

void print(const InstructionInfo& row) {
    std::cout << row.name << ": " << row.summary << "\n";
    if (!row.assembly.empty()) std::cout << "  assembly  pto." << row.assembly << "\n";
    std::cout << "  pipe      " << text(row.pipe) << "\n";
    for (const OperandInfo& operand : row.operands)
        std::cout << "  operand   " << operand.name << ": " << kinds_text(operand.kinds) << ", "
                  << text(operand.role) << (operand.optional ? ", optional" : "") << "\n";
    for (unsigned a = 0; a < kArchCount; ++a) {
        if (row.operands.empty()) break;
        std::cout << "  types     " << name(static_cast<Arch>(a)) << ": "
                  << (row.types[a].empty() ? "not on this architecture" : to_text(row.types[a]))
                  << "\n";
    }
    print_rules(row);
    if (row.semantics != nullptr)
        std::cout << "  tests     " << golden_cases(row.opcode) << " golden cases\n";
}

}  // namespace

void add_isa(CLI::App& app, Action& action) {
    auto word = std::make_shared<std::string>();
    auto json = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand(
        "isa", "List instructions; show one: operands, pipe, types per architecture");
    command->add_option("OP", *word, "An instruction, as TADD or tadd");
    auto markdown = std::make_shared<bool>(false);
    command->add_flag("--markdown", *markdown, "The reference page of all instructions");
    auto coverage = std::make_shared<bool>(false);
    command->add_flag("--coverage", *coverage, "The coverage page: types and tests of each");
    auto architectures = std::make_shared<bool>(false);
    command->add_flag("--architectures", *architectures, "The page of what architectures are");
    command->add_option("--json", *json, "Write as JSON to a file, or - for standard output");
    command->callback([word, json, markdown, coverage, architectures, &action] {
        action = [word, json, markdown, coverage, architectures] {
            if (*architectures) {
                std::cout << architectures_page();
                return static_cast<int>(kOk);
            }
            if (*markdown || *coverage) {
                std::cout << (*coverage ? coverage_page() : reference_page());
                return static_cast<int>(kOk);
            }
            if (const OtherName* other = find_other(*word)) {
                std::cout << other->name << ": " << other->text << "\n";
                return static_cast<int>(kOk);
            }
            std::vector<const InstructionInfo*> rows;
            if (word->empty()) {
                for (const InstructionInfo& row : instruction_table()) rows.push_back(&row);
            } else {
                const InstructionInfo* row = find_instruction(*word);
                if (row == nullptr) {
                    std::vector<std::string_view> names;
                    for (const InstructionInfo& known : instruction_table()) {
                        names.push_back(known.name);
                        names.push_back(known.assembly);
                    }
                    const std::string near = closest(*word, names);
                    fail_input(
                        "I15", "unknown instruction '" + *word + "'",
                        near.empty() ? "'ptosim isa' lists them" : "did you mean '" + near + "'?");
                }
                rows.push_back(row);
            }
            if (!json->empty()) {
                nlohmann::ordered_json list = nlohmann::ordered_json::array();
                for (const InstructionInfo* row : rows) list.push_back(as_json(*row));
                write_result(*json, (word->empty() ? list : list[0]).dump(2) + "\n");
            } else if (!word->empty()) {
                print(*rows[0]);
            } else {
                for (const InstructionInfo* row : rows) {
                    list(row->name, row->summary);
                    list_api_names(*row);
                }
                for (const OtherName& other : other_names()) list(other.name, other.text);
            }
            return static_cast<int>(kOk);
        };
    });
}

}  // namespace ptosim::cli
