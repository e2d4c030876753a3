#include "isa/pages/intrinsic_forms.h"

#include <algorithm>
#include <iterator>

#include "isa/intrinsics/intrinsic.h"

namespace ptosim {
namespace {

constexpr unsigned kWidth = 100;

// Adds a word to a text, with lines of at most kWidth characters.
void add_wrapped(std::string& text, size_t& line, const std::string& word, const char* indent) {
    if (line + word.size() > kWidth) {
        text += std::string("\n") + indent;
        line = std::char_traits<char>::length(indent);
    } else if (text.back() == ',') {
        text += ' ';
        ++line;
    }
    text += word;
    line += word.size();
}

// Integers after the last stride may be left out.
bool may_be_left_out(const IntrinsicForm& form, unsigned argument) {
    if (form.unit != IntrinsicUnit::kVector) return false;
    for (unsigned i = argument; i < form.argument_count(); ++i)
        if (form.argument(i).kind != IntrinsicArgumentKind::kInteger) return false;
    return form.signature.find('n') != std::string_view::npos;
}

std::string definition(const IntrinsicInfo& row) {
    std::string parameters = "inline void " + std::string(row.name) + "(", arguments;
    size_t line = parameters.size();
    unsigned count = 0;
    for (unsigned i = 0; i < row.form.argument_count(); ++i) {
        const IntrinsicArgument a = row.form.argument(i);
        if (a.kind == IntrinsicArgumentKind::kRegisterValue) continue;
        const char letter = static_cast<char>('a' + count++);
        std::string parameter = a.is_address()                                ? "Address "
                                : a.kind == IntrinsicArgumentKind::kScalar ? "Scalar "
                                                                              : "Word ";
        parameter += letter;
        if (may_be_left_out(row.form, i)) parameter += " = 0";
        add_wrapped(parameters, line, parameter + ",", "    ");
        arguments += std::string(", ") + letter;
    }
    add_wrapped(parameters, line, "PTO_DETAIL_WHERE) {", "    ");
    return parameters + "\n    PTO_DETAIL_INTRINSIC(" + std::string(row.name) + arguments + ");\n}\n";
}

struct Group {
    std::string_view name;
    std::string_view subject;
    bool (*has)(const IntrinsicInfo& row);
};

bool is_conversion(const IntrinsicInfo& row) { return row.name.find("conv") != std::string_view::npos; }

constexpr Group kGroups[] = {
    {"vector", "Vector intrinsics without a conversion",
     [](const IntrinsicInfo& row) { return row.form.unit == IntrinsicUnit::kVector && !is_conversion(row); }},
    {"conversion", "Vector intrinsics that convert",
     [](const IntrinsicInfo& row) { return row.form.unit == IntrinsicUnit::kVector && is_conversion(row); }},
    {"transfer", "Intrinsics of transfers and of the cube unit",
     [](const IntrinsicInfo& row) { return row.form.unit != IntrinsicUnit::kVector; }},
};

// The rows of a group for the architectures whose vectors are in UB, in registers, or both.
std::string rows_of(const Group& group, bool in_memory, bool in_registers) {
    std::string text;
    for (unsigned i = 0; i < kIntrinsicOpcodeCount; ++i) {
        const IntrinsicInfo& row = info(static_cast<IntrinsicOpcode>(i));
        if (group.has(row) && row.form.argument(0).is_address() &&
            row.form.is_on(VectorOperands::kMemory) == in_memory &&
            row.form.is_on(VectorOperands::kRegisters) == in_registers)
            text += definition(row);
    }
    return text;
}

std::string on_condition(const char* condition, const std::string& rows) {
    return rows.empty() ? "" : std::string(condition) + "\n" + rows + "#endif\n";
}

}  // namespace

std::vector<std::string> intrinsic_groups() {
    std::vector<std::string> names;
    for (const Group& group : kGroups) names.emplace_back(group.name);
    return names;
}

std::string intrinsic_forms_header(std::string_view name) {
    const Group* const group =
        std::find_if(std::begin(kGroups), std::end(kGroups), [&](const Group& g) { return g.name == name; });
    return "// " + std::string(group->subject) +
           ", made from their rows in isa/intrinsics/ by scripts/regenerate.sh; do not edit.\n"
           "#pragma once\n\n"
           "#include \"cce/intrinsic_call.hpp\"\n\n"
           "namespace pto::ptosim_detail::intrinsics {\n\n" +
           rows_of(*group, true, true) + on_condition("#ifdef PTO_NPU_ARCH_A2A3", rows_of(*group, true, false)) +
           on_condition("#ifndef PTO_NPU_ARCH_A2A3", rows_of(*group, false, true)) +
           "\n}  // namespace pto::ptosim_detail::intrinsics\n";
}

}  // namespace ptosim
