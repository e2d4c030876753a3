// ptosim isa [NAME]: shows a name's entries in the instruction table, the language tables, the C++ API and the
// catalogue of codes.
#include <algorithm>
#include <cctype>
#include <deque>
#include <iostream>
#include <memory>
#include <sstream>

#include "isa/assembly/language/language.h"
#include "isa/core/diagnostic.h"
#include "isa/legality/legality.h"
#include "isa/pages/cpp_forms.h"
#include "isa/pages/intrinsic_forms.h"
#include "isa/pages/reference.h"
#include "isa/table/instruction_table.h"
#include "isa/table/physical_layout.h"
#include "isa/table/profile_rules.h"
#include "sim/check/registry.h"
#include "sim/faces/cli/commands.h"
#include "sim/files/json.h"
#include "sim/machine/model/parameters.h"
#include "sim/machine/timing/time_coverage.h"

namespace ptosim::cli {
namespace {

using assembly::OperationHelp;

bool is_written(const OperandInfo& operand) {
    return operand.role == OperandRole::kOut || operand.role == OperandRole::kInOut;
}

// The operands in the order of the assembly: ins(...), then outs(...).
std::vector<const OperandInfo*> assembly_operands(const InstructionInfo& row) {
    std::vector<const OperandInfo*> operands;
    for (const bool written : {false, true})
        for (const OperandInfo& operand : row.operands)
            if (is_written(operand) == written) operands.push_back(&operand);
    return operands;
}

std::string with_case(std::string_view word, int (*change)(int)) {
    std::string result;
    for (const char c : word) result += static_cast<char>(change(static_cast<unsigned char>(c)));
    return result;
}

// Calls of the C++ API for the row's name, and for other forms ("TMOV_FP").
std::vector<assembly::ApiCall> api_calls(const InstructionInfo& row) {
    std::vector<assembly::ApiCall> calls = assembly::api_calls(row.name);
    if (calls.empty()) calls = assembly::api_calls(with_case(row.name, std::tolower));
    // TMATMUL_MX is overloaded for the assembly's tmatmul.mx.acc and tmatmul.mx.bias.
    if (const size_t end = row.name.find("_MX_"); calls.empty() && end != row.name.npos)
        calls = assembly::api_calls(row.name.substr(0, end + 3));
    std::string_view rest = row.aliases;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        if (rest[0] == 'T')
            for (const assembly::ApiCall& call : assembly::api_calls(rest.substr(0, end)))
                calls.push_back(call);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return calls;
}

// "pto.tassign" is TASSIGN, "pto.get_block_idx" get_block_idx.
std::vector<assembly::ApiCall> api_calls_of_operation(const std::string& name) {
    if (name.rfind("pto.", 0) != 0) return {};
    std::vector<assembly::ApiCall> calls = assembly::api_calls(name.substr(4));
    for (const assembly::ApiCall& call :
         assembly::api_calls(with_case(name.substr(4), std::toupper)))
        calls.push_back(call);
    return calls;
}

std::string first_name(const OperationHelp& operation) {
    return std::string(operation.names.substr(0, operation.names.find(' ')));
}

Json as_json(const std::vector<assembly::ApiCall>& calls) {
    Json list = Json::array();
    for (const assembly::ApiCall& call : calls)
        list.push_back({{"call", call.call},
                        {"template_parameters", call.choices},
                        {"only_for", call.only_for}});
    return list;
}

Json as_json(const OperationHelp& operation, const std::string& name) {
    return {{"name", name},
            {"kind", "operation"},
            {"group", operation.group},
            {"syntax", assembly::syntax_of(operation, name)},
            {"summary", operation.summary},
            {"example", assembly::example_of(name)},
            {"cpp", as_json(api_calls_of_operation(name))}};
}

Json pitches_of(const InstructionInfo& row) {
    Json pitches;
    for (const Arch arch : {Arch::kA2A3, Arch::kA5})
        if (const std::string found = pitch_text(row, arch); !found.empty())
            pitches[std::string(name(arch))] = found;
    return pitches;
}

Json as_json(const InstructionInfo& row) {
    Json operands = Json::array();
    for (const OperandInfo& operand : row.operands)
        operands.push_back({{"name", operand.name},
                            {"role", text(operand.role)},
                            {"kind", kinds_text(operand.kinds)},
                            {"optional", operand.optional}});
    Json types;
    for (unsigned a = 0; a < kArchCount; ++a)
        types[std::string(name(static_cast<Arch>(a)))] = to_text(row.types[a]);
    Json legality = Json::array();
    for (const LegalityRule* rule : row.rules)
        if (rule != nullptr)
            legality.push_back(
                {{"rule", rule->name}, {"codes", rule->codes}, {"text", rule->text}});
    Json profiles = Json::array();
    for (const ProfileRule& rule : profile_rules())
        if (shows_in(rule, row.opcode))
            profiles.push_back({{"rule", rule.name},
                                {"profile", name(rule.profile)},
                                {"grade", name(rule.grade)},
                                {"text", rule.text},
                                {"source", rule.source}});
    Json order = Json::array();
    for (const OperandInfo* operand : assembly_operands(row)) order.push_back(operand->name);
    Json attributes = Json::array();
    for (const AttributeInfo* attribute : assembly::attributes_in_text(row))
        attributes.push_back({{"key", attribute->key},
                              {"form", assembly::attribute_form(*attribute)},
                              {"values", attribute->values}});
    return {{"name", row.name},
            {"kind", "instruction"},
            {"assembly", row.assembly},
            {"pipe", text(row.pipe)},
            {"operands", operands},
            {"assembly_order", order},
            {"attributes", attributes},
            {"example", assembly::example_of("pto." + std::string(row.assembly))},
            {"cpp", as_json(api_calls(row))},
            {"types", types},
            {"summary", row.summary},
            {"pitches", pitches_of(row)},
            {"legality", legality},
            {"profile_rules", profiles}};
}

void print_rules(std::ostream& out, const InstructionInfo& row) {
    for (const Arch arch : {Arch::kA2A3, Arch::kA5})
        if (const std::string from = pitch_text(row, arch); !from.empty())
            out << "  pitch     " << name(arch) << ", " << from << "\n";
    for (const LegalityRule* rule : row.rules)
        if (rule != nullptr)
            out << "  legal if  " << rule->text << " [" << rule->codes << "]\n";
    for (const ProfileRule& rule : profile_rules())
        if (shows_in(rule, row.opcode))
            out << "  profile   " << name(rule.profile) << ", " << name(rule.grade)
                      << ", " << rule.name << ": " << rule.text
                      << "\n            source: " << rule.source << "\n";
}

const OtherName* find_other(const std::string& word) {
    for (const OtherName& other : other_names()) {
        if (word == other.name || word == with_case(other.name, std::tolower)) return &other;
    }
    return nullptr;
}

void list(std::string_view name, std::string_view text) {
    std::cout << name << std::string(name.size() < 20 ? 20 - name.size() : 1, ' ') << text << "\n";
}

// The API's names for other forms of a row ("TMOV_FP").
void list_api_names(const InstructionInfo& row) {
    std::string_view rest = row.aliases;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, end);
        if (word[0] == 'T') list(word, "a form of " + std::string(row.name));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

void print_lines(std::ostream& out, std::string_view label, const std::string& lines) {
    std::string_view rest = lines;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        out << "  " << label << std::string(10 - label.size(), ' ') << rest.substr(0, end)
                  << "\n";
        label = "";
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

void print_calls(std::ostream& out, const std::vector<assembly::ApiCall>& calls) {
    for (const assembly::ApiCall& call : calls)
        out << "  C++       " << call.call
                  << (call.choices.empty() ? "" : ", template: " + std::string(call.choices))
                  << (call.only_for.empty() ? "" : ", only " + std::string(call.only_for)) << "\n";
}

void print(std::ostream& out, const InstructionInfo& row) {
    out << row.name << ": " << row.summary << "\n";
    if (!row.assembly.empty()) out << "  assembly  pto." << row.assembly << "\n";
    print_lines(out, "example", assembly::example_of("pto." + std::string(row.assembly)));
    print_calls(out, api_calls(row));
    out << "  pipe      " << text(row.pipe) << "\n";
    for (const OperandInfo* operand : assembly_operands(row))
        out << "  operand   " << operand->name << ": " << kinds_text(operand->kinds) << ", "
                  << text(operand->role) << (operand->optional ? ", optional" : "") << "\n";
    for (const AttributeInfo* attribute : assembly::attributes_in_text(row))
        out << "  attribute {" << assembly::attribute_form(*attribute)
                  << "}, VALUE: " << attribute->values << "\n";
    for (unsigned a = 0; a < kArchCount; ++a) {
        if (row.operands.empty()) break;
        out << "  types     " << name(static_cast<Arch>(a)) << ": "
                  << (row.types[a].empty() ? "not on this architecture" : to_text(row.types[a]))
                  << "\n";
    }
    print_rules(out, row);
    if (row.semantics != nullptr)
        out << "  tests     " << golden_cases(row.opcode) << " golden cases\n";
}

void print(std::ostream& out, const OperationHelp& operation, const std::string& name) {
    out << name << ": " << operation.summary << "\n";
    print_lines(out, "syntax", assembly::syntax_of(operation, name));
    print_lines(out, "example", assembly::example_of(name));
    print_calls(out, api_calls_of_operation(name));
    if (operation.group == "verified")
        out << "  run       --dry-run verifies it, but a run rejects it\n";
}

// ---- the meaning of a word

std::string without_prefix(const std::string& word) {
    return word.rfind("pto.", 0) == 0 ? word.substr(4) : word;
}

// The full name of an operation: "pto.alloc_tile" for "alloc_tile".
std::string full_name(const OperationHelp& operation, const std::string& word) {
    const std::string names = " " + std::string(operation.names) + " ";
    return names.find(" " + word + " ") != std::string::npos ? word : "pto." + word;
}

// ---- a code of an error or a finding

// Instructions whose rules report the code.
std::vector<std::string_view> refused_with(const std::string& code) {
    std::vector<std::string_view> names;
    for (const InstructionInfo& row : instruction_table())
        if (std::any_of(row.rules.begin(), row.rules.end(), [&](const LegalityRule* rule) {
                return rule != nullptr &&
                       std::string_view(rule->codes).find(code) != std::string_view::npos;
            }))
            names.push_back(row.name);
    return names;
}

void show_code(const std::string& code, const std::string& json_file) {
    const std::string meant(meaning(code)), about(catalogue_heading(code));
    const std::vector<std::string_view> names = refused_with(code);
    if (!json_file.empty()) {
        const Json json = {{"name", code},
                           {"kind", "code"},
                           {"about", about},
                           {"summary", meant},
                           {"instructions", names}};
        write_result(json_file, dump_json(json, 2) + "\n");
        return;
    }
    std::cout << code << ": " << meant << "\n\nabout: " << about << "\n";
    if (names.empty()) return;
    std::cout << "instructions whose rules report it:";
    for (const std::string_view name : names) std::cout << " " << name;
    std::cout << "\n";
}

[[noreturn]] void fail_unknown(const std::string& word) {
    std::vector<std::string_view> names;
    std::deque<std::string> in_files;
    for (const InstructionInfo& row : instruction_table()) {
        names.push_back(row.name);
        names.push_back(row.assembly);
        names.push_back(in_files.emplace_back("pto." + std::string(row.assembly)));
    }
    for (const OperationHelp& operation : assembly::operation_help())
        for (std::string_view rest = operation.names; !rest.empty();) {
            const size_t end = std::min(rest.find(' '), rest.size());
            const std::string_view name = rest.substr(0, end);
            names.push_back(name);
            if (name.starts_with("pto.")) names.push_back(name.substr(4));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    std::string near = closest(word, names);
    if (near.empty()) near = closest(without_prefix(word), names);
    fail_input("I15", "unknown instruction, operation or code '" + word + "'",
               near.empty() ? "'ptosim isa' lists them" : "did you mean '" + near + "'?");
}

// ---- the command

struct IsaOptions {
    std::string word, json;
    bool markdown = false, coverage = false, architectures = false, cpp_forms = false,
         operations = false, checkers = false, open_rules = false;
    bool example = false;
    std::string chip, intrinsic_forms;
};

void list_all(const std::string& json_file) {
    if (!json_file.empty()) {
        Json all = Json::array();
        for (const InstructionInfo& row : instruction_table()) all.push_back(as_json(row));
        for (const OperationHelp& operation : assembly::operation_help())
            all.push_back(as_json(operation, first_name(operation)));
        write_result(json_file, dump_json(all, 2) + "\n");
        return;
    }
    for (const InstructionInfo& row : instruction_table()) {
        list(row.name, row.summary);
        list_api_names(row);
    }
    for (const OtherName& other : other_names()) list(other.name, other.text);
    for (const OperationHelp& operation : assembly::operation_help())
        list(first_name(operation), operation.summary);
}

void show(const IsaOptions& options) {
    const std::string& word = options.word;
    const std::string code = with_case(word, std::toupper);
    if (!options.example && !meaning(code).empty()) return show_code(code, options.json);
    const std::string plain = without_prefix(word);
    const InstructionInfo* row = find_instruction(plain);
    const OperationHelp* operation = assembly::find_operation_help(word);
    // An operation may also be an older spelling of an instruction, whose own page has more information.
    if (row != nullptr && (operation == nullptr || plain == row->name || plain == row->assembly))
        operation = nullptr;
    else if (operation != nullptr)
        row = nullptr;
    const OtherName* other = row != nullptr || operation != nullptr ? nullptr : find_other(plain);
    if (row == nullptr && operation == nullptr && other == nullptr) fail_unknown(word);
    const std::string name = operation != nullptr ? full_name(*operation, word)
                             : row != nullptr     ? "pto." + std::string(row->assembly)
                                                  : word;
    if (options.example) {
        const std::string file = assembly::example_file(name);
        if (file.empty())
            fail_input("I15", "no example of '" + word + "'",
                       "'ptosim isa " + word + "' shows its page");
        std::cout << file;
    } else if (!options.json.empty()) {
        Json json;
        if (row != nullptr) json = as_json(*row);
        if (operation != nullptr) json = as_json(*operation, name);
        if (other != nullptr)
            json = {{"name", other->name},
                    {"kind", "other"},
                    {"summary", other->text},
                    {"cpp", as_json(assembly::api_calls(other->name))}};
        write_result(options.json, dump_json(json, 2) + "\n");
    } else if (row != nullptr) {
        print(std::cout, *row);
    } else if (operation != nullptr) {
        print(std::cout, *operation, name);
    } else {
        std::cout << other->name << ": " << other->text << "\n";
        print_calls(std::cout, assembly::api_calls(other->name));
    }
}

// ---- grades of times

Json as_json(const TimeCoverage& coverage) {
    Json types = Json::array();
    for (const DType type : coverage.types) types.push_back(name(type));
    Json parts = Json::array();
    for (const CostPart& part : coverage.parts)
        parts.push_back({{"parameter", parameter_rows()[part.row - size_t{1}].path},
                         {"grade", name(part.grade)},
                         {"share", part.share / 1000.0}});
    return {{"instruction", info(coverage.opcode).name},
            {"types", types},
            {"layout", coverage.layout},
            {"grade", name(coverage.grade)},
            {"rests_on", parts}};
}

// `only` may be null: all instructions.
Json coverage_json(const std::string& name, const InstructionInfo* only) {
    const ChipModel chip = load_chip(name, {});
    Json list = Json::array();
    for (const TimeCoverage& coverage : time_coverage(chip))
        if (only == nullptr || &info(coverage.opcode) == only) list.push_back(as_json(coverage));
    return {{"chip", chip.name}, {"time", list}};
}

std::string coverage_text(const IsaOptions& options, const InstructionInfo* only) {
    if (only != nullptr) {
        std::string text = std::string(only->name) + "\n";
        if (!options.chip.empty())
            return text + time_coverage_text(load_chip(options.chip, {}), only->opcode);
        for (const char* chip : kCoverageChips)
            text += time_coverage_text(load_chip(chip, {}), only->opcode);
        return text;
    }
    return options.chip.empty() ? coverage_page() + time_coverage_document()
                                : time_coverage_page(load_chip(options.chip, {}));
}

void show_coverage(const IsaOptions& options) {
    const InstructionInfo* only = nullptr;
    if (!options.word.empty()) {
        only = find_instruction(without_prefix(options.word));
        if (only == nullptr && assembly::find_operation_help(options.word) == nullptr)
            fail_unknown(options.word);
        if (only == nullptr)
            fail_input("I15", "'" + options.word + "' is not an instruction: it takes no time on any pipe",
                       "'ptosim isa " + options.word + "' shows its page");
    }
    if (options.json.empty()) {
        std::cout << coverage_text(options, only);
        return;
    }
    Json json;
    if (options.chip.empty())
        for (const char* chip : kCoverageChips) json.push_back(coverage_json(chip, only));
    else
        json = coverage_json(options.chip, only);
    write_result(options.json, dump_json(json, 2) + "\n");
}

// A page covers all names, so a name with it would be ignored.
void require_one_page(const IsaOptions& options) {
    for (const auto& [chosen, flag] :
         {std::pair{options.cpp_forms, "--cpp-forms"},
          std::pair{!options.intrinsic_forms.empty(), "--intrinsic-forms"},
          std::pair{options.architectures, "--architectures"},
          std::pair{options.operations, "--operations"}, std::pair{options.markdown, "--markdown"},
          std::pair{options.checkers, "--checkers"},
          std::pair{options.open_rules, "--open-rules"}})
        if (chosen && !options.word.empty())
            fail_input(
                "I00",
                std::string(flag) + " is the page of all, and " + options.word + " is one of them",
                "'ptosim isa " + options.word + "' shows it alone");
    if (options.example && options.word.empty())
        fail_input("I00", "--example needs an OP",
                   "'ptosim isa' lists them: 'ptosim isa tadd --example'");
}

int run_isa(const IsaOptions& options) {
    if (!options.chip.empty() && !options.coverage)
        fail_input(
            "I00", "--chip needs --coverage",
            "ptosim isa --coverage --chip " + options.chip + " grades the times of that chip");
    require_one_page(options);
    if (options.cpp_forms) {
        std::cout << cpp_forms_header();
    } else if (!options.intrinsic_forms.empty()) {
        std::cout << intrinsic_forms_header(options.intrinsic_forms);
    } else if (options.architectures) {
        std::cout << architectures_page();
    } else if (options.operations) {
        std::cout << assembly::operations_page();
    } else if (options.checkers) {
        std::cout << check::checker_table();
    } else if (options.coverage) {
        show_coverage(options);
    } else if (options.open_rules) {
        std::cout << open_rules_page();
    } else if (options.markdown) {
        std::cout << reference_page();
    } else if (options.word.empty()) {
        list_all(options.json);
    } else {
        show(options);
    }
    return kOk;
}

}  // namespace

std::string isa_page(const std::string& word) {
    std::ostringstream page;
    const std::string plain = without_prefix(word);
    const InstructionInfo* const row = find_instruction(plain);
    const OperationHelp* const operation = assembly::find_operation_help(word);
    if (row != nullptr && (operation == nullptr || plain == row->name || plain == row->assembly))
        print(page, *row);
    else if (operation != nullptr)
        print(page, *operation, full_name(*operation, word));
    else if (const std::string code = with_case(word, std::toupper); !meaning(code).empty())
        page << code << ": " << meaning(code) << "\n";
    return page.str();
}

void add_isa(const Command& app, Action& action) {
    auto options = std::make_shared<IsaOptions>();
    const Command command = app.add_subcommand(
        "isa",
        "List instructions and operations, or show one with example, operands, attributes, and types");
    command.add_option(
        "OP", options->word,
        "An instruction or operation, such as TADD, tadd, pto.tadd, alloc_tile, scf.for; or the code of an error or a "
        "finding, such as E05");
    command.add_flag("--example", options->example,
                     "Print a complete .pto file with the example of OP");
    command.add_flag("--markdown", options->markdown, "Print the reference page of all instructions");
    command.add_flag("--operations", options->operations,
                     "Print the reference page of operations that are not instructions");
    command.add_flag("--checkers", options->checkers,
                     "Print the table of checkers (--check) and the codes of their findings");
    command.add_flag("--coverage", options->coverage,
                     "Print the coverage page: types, tests, and the grade of each instruction's time; with OP: only "
                     "its time");
    command.add_option(
        "--chip", options->chip,
        "With --coverage: print only the grades of this chip's times");
    command.add_flag("--cpp-forms", options->cpp_forms,
                     "Print the header of operations by their form in C++");
    command
        .add_option("--intrinsic-forms", options->intrinsic_forms,
                    "Print the C++ header of a group of intrinsics: vector, conversion or transfer")
        .one_of(intrinsic_groups());
    command.add_flag("--architectures", options->architectures,
                     "Print the page of architectures");
    command.add_flag("--open-rules", options->open_rules,
                     "Print the page of assumed numeric rules, and the test of each on a board");
    command.add_option("--json", options->json,
                       "Write as JSON to a file, or - for standard output");
    command.callback([options, &action] { action = [options] { return run_isa(*options); }; });
}

}  // namespace ptosim::cli
