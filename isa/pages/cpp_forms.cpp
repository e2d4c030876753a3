#include "isa/pages/cpp_forms.h"

#include <algorithm>
#include <array>

#include "isa/table/instruction_traits.h"

namespace ptosim {
namespace {

// Operands of vector instructions by kind, in order: t tile, s scalar, x scratch tile.
struct OperandForm {
    std::string_view operands;
    std::string_view forms;
};
constexpr OperandForm kOperandForms[] = {
    {"tt", "UNARY"},
    {"ttt", "BINARY"},
    {"ttx", "BINARY"},            // the third tile is scratch
    {"ttxt", "BINARY ARGUMENT"},  // positions, and perhaps the values
    {"tttx", "BINARY BINARY_TMP"},
    {"tttt", "TERNARY"},
    {"tts", "WITH_SCALAR"},
    {"ttst", "SCALAR_BETWEEN"},
};

std::string kinds_of(const InstructionInfo& row) {
    std::string text;
    for (const OperandInfo& operand : row.operands) {
        if (operand.kinds == kScalarOperand)
            text += 's';
        else if (operand.kinds != kTileOperand)
            text += '?';
        else
            text += operand.role == OperandRole::kTmp ? 'x' : 't';
    }
    return text;
}

std::string_view forms_by_operands(const InstructionInfo& row) {
    const bool plain = row.attributes == kNoAttributes || row.attributes == kAttrPrecision;
    if (row.pipe != PipeRule::kVector || !plain) return {};
    const std::string kinds = kinds_of(row);
    const auto* const found =
        std::find_if(std::begin(kOperandForms), std::end(kOperandForms),
                     [&](const OperandForm& form) { return form.operands == kinds; });
    return found == std::end(kOperandForms) ? std::string_view() : found->forms;
}

// In the order in which the headers define them.
constexpr std::array<std::string_view, 10> kForms{
    "UNARY",   "UNARY_PRECISE", "BINARY",      "BINARY_PRECISE", "BINARY_TMP", "BINARY_PRECISE_TMP",
    "TERNARY", "ARGUMENT",      "WITH_SCALAR", "SCALAR_BETWEEN"};

}  // namespace

std::vector<CppForm> cpp_forms(const InstructionInfo& row) {
    const InstructionTraits& traits = *row.traits;
    std::string_view rest = traits.cpp_forms.empty() ? forms_by_operands(row) : traits.cpp_forms;
    std::vector<CppForm> forms;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const auto* form = std::find(kForms.begin(), kForms.end(), word);
        if (form == kForms.end()) continue;
        CppForm found{*form, {}};
        if (!traits.cpp_algorithm.empty()) {
            // The form with a choice of algorithms.
            if (word == "UNARY") found.name = "UNARY_PRECISE";
            if (word == "BINARY") found.name = "BINARY_PRECISE";
            if (word == "BINARY_TMP") found.name = "BINARY_PRECISE_TMP";
            found.argument = std::string(traits.cpp_algorithm) + "Algorithm";
        }
        if (word == "WITH_SCALAR") found.argument = traits.cpp_scalar_of_result ? "Dst" : "Src";
        forms.push_back(std::move(found));
    }
    return forms;
}

std::string cpp_forms_header() {
    constexpr size_t kWidth = 100;
    std::string text =
        "// Operations that share a form: PTO_DETAIL_OPERATIONS_UNARY(Form_) is Form_(TABS) Form_(TNEG) ... . Made from the\n"
        "// instruction table (ptosim isa --cpp-forms) by scripts/regenerate.sh; do not edit.\n#pragma once\n";
    for (std::string_view form : kForms) {
        text += '\n';
        std::string line = "#define PTO_DETAIL_OPERATIONS_" + std::string(form) + "(Form_)";
        const auto flush = [&] {
            text += line +
                    std::string(line.size() < kWidth - 1 ? kWidth - 1 - line.size() : 1, ' ') +
                    "\\\n";
            line = "   ";
        };
        bool first = true;
        for (const InstructionInfo& row : instruction_table())
            for (const CppForm& one : cpp_forms(row)) {
                if (one.name != form) continue;
                const std::string call = " Form_(" + std::string(row.name) +
                                         (one.argument.empty() ? "" : ", " + one.argument) + ")";
                if (first || line.size() + call.size() > kWidth - 3) flush();
                first = false;
                line += call;
            }
        text += line + "\n";
    }
    return text;
}

}  // namespace ptosim
