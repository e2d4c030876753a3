// ptosim isa [OP]
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "isa/instruction_table.h"
#include "sim/cli/commands.h"

namespace ptosim::cli {
namespace {

std::string_view text(PipeRule rule) {
    switch (rule) {
        case PipeRule::kScalar: return "S";
        case PipeRule::kVector: return "V";
        case PipeRule::kCube: return "M";
        case PipeRule::kLoad: return "MTE2";
        case PipeRule::kStore: return "MTE3, FIX from L0C";
        case PipeRule::kMove: return "MTE1, FIX, V or MTE3 by its memories";
        case PipeRule::kFill: return "V, MTE2 on L1";
        case PipeRule::kFlag: return "the pipe it names";
    }
    return "";
}

std::string_view text(OperandRole role) {
    switch (role) {
        case OperandRole::kOut: return "out";
        case OperandRole::kIn: return "in";
        case OperandRole::kInOut: return "in/out";
        case OperandRole::kTmp: return "scratch";
    }
    return "";
}

std::string kinds(uint8_t mask) {
    std::string result;
    const auto add = [&](const char* word) { result += (result.empty() ? "" : " or ") + std::string(word); };
    if (mask & kTileOperand) add("tile");
    if (mask & kGlobalOperand) add("global view");
    if (mask & kScalarOperand) add("scalar");
    return result;
}

nlohmann::ordered_json as_json(const InstructionInfo& row) {
    nlohmann::ordered_json operands = nlohmann::ordered_json::array();
    for (const OperandInfo& operand : row.operands)
        operands.push_back({{"name", operand.name},
                            {"role", text(operand.role)},
                            {"kind", kinds(operand.kinds)},
                            {"optional", operand.optional}});
    nlohmann::ordered_json types;
    for (unsigned a = 0; a < kArchCount; ++a)
        types[std::string(name(static_cast<Arch>(a)))] = to_text(row.types[a]);
    return {{"name", row.name},   {"assembly", row.assembly}, {"pipe", text(row.pipe)},
            {"operands", operands}, {"types", types},           {"summary", row.summary}};
}

void print(const InstructionInfo& row) {
    std::cout << row.name << ": " << row.summary << "\n";
    if (!row.assembly.empty()) std::cout << "  assembly  pto." << row.assembly << "\n";
    std::cout << "  pipe      " << text(row.pipe) << "\n";
    for (const OperandInfo& operand : row.operands)
        std::cout << "  operand   " << operand.name << ": " << kinds(operand.kinds) << ", "
                  << text(operand.role) << (operand.optional ? ", optional" : "") << "\n";
    for (unsigned a = 0; a < kArchCount; ++a) {
        if (row.operands.empty()) break;
        std::cout << "  types     " << name(static_cast<Arch>(a)) << ": "
                  << (row.types[a].empty() ? "not on this architecture" : to_text(row.types[a]))
                  << "\n";
    }
}

}  // namespace

void add_isa(CLI::App& app, Action& action) {
    auto word = std::make_shared<std::string>();
    auto json = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand(
        "isa", "List instructions; show one: operands, pipe, types per architecture");
    command->add_option("OP", *word, "An instruction, as TADD or tadd");
    command->add_option("--json", *json, "Write as JSON to a file, or - for standard output");
    command->callback([word, json, &action] {
        action = [word, json] {
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
                    fail_input("I15", "unknown instruction '" + *word + "'",
                               near.empty() ? "'ptosim isa' lists them"
                                            : "did you mean '" + near + "'?");
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
                for (const InstructionInfo* row : rows)
                    std::cout << row->name
                              << std::string(row->name.size() < 18 ? 18 - row->name.size() : 1, ' ')
                              << row->summary << "\n";
            }
            return static_cast<int>(kOk);
        };
    });
}

}  // namespace ptosim::cli
