#include "isa/pages/intrinsic_forms.h"

#include "isa/intrinsics/intrinsic.h"

namespace ptosim {
namespace {

constexpr unsigned kWidth = 100;

// Adds a word to a text whose lines are no longer than kWidth.
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

// The rows that architectures have whose vectors are in UB, and those whose vectors are registers.
void add_rows(std::string& page, bool in_memory, bool in_registers) {
    for (unsigned i = 0; i < kIntrinsicOpcodeCount; ++i) {
        const IntrinsicInfo& row = info(static_cast<IntrinsicOpcode>(i));
        if (row.form.argument(0).is_address() &&
            row.form.is_on(VectorOperands::kMemory) == in_memory &&
            row.form.is_on(VectorOperands::kRegisters) == in_registers)
            page += definition(row);
    }
}

}  // namespace

std::string intrinsic_forms_header() {
    std::string page =
        "// Intrinsics, made from their rows in isa/intrinsics/ by scripts/regenerate.sh.\n"
        "#pragma once\n\n"
        "#include \"cce/intrinsic_call.hpp\"\n\n"
        "namespace pto::ptosim_detail::intrinsics {\n\n";
    add_rows(page, true, true);
    page += "#ifdef PTO_NPU_ARCH_A2A3\n";
    add_rows(page, true, false);
    page += "#else\n";
    add_rows(page, false, true);
    page += "#endif\n";
    return page + "\n}  // namespace pto::ptosim_detail::intrinsics\n"
                  "using namespace ::pto::ptosim_detail::intrinsics;\n";
}

}  // namespace ptosim
