#include "sim/faces/toolkit/assembly_source.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

#include "isa/assembly/context/module_functions.h"
#include "isa/core/diagnostic.h"
#include "sim/files/sha256.h"

namespace ptosim::toolkit {
namespace {

using assembly::BlockArgument;
using assembly::IdentityField;
using assembly::Type;
using assembly::TypeKind;

struct TypeName {
    DType dtype;
    const char* name;
};
constexpr TypeName kTypeNames[] = {
    {DType::kF32, "float"},
    {DType::kF16, "half"},
    {DType::kBF16, "bfloat16_t"},
    {DType::kE4M3, "float8_e4m3_t"},
    {DType::kE5M2, "float8_e5m2_t"},
    {DType::kE8M0, "float8_e8m0_t"},
    {DType::kHIF8, "hifloat8_t"},
    {DType::kE2M1, "float4_e2m1x2_t"},
    {DType::kE1M2, "float4_e1m2x2_t"},
    {DType::kI8, "int8_t"},
    {DType::kU8, "uint8_t"},
    {DType::kI16, "int16_t"},
    {DType::kU16, "uint16_t"},
    {DType::kI32, "int32_t"},
    {DType::kU32, "uint32_t"},
    {DType::kI64, "int64_t"},
    {DType::kU64, "uint64_t"},
};

// Element type of a scalar or pointer; empty if there is none.
std::string element_name(const Type& type) {
    if (type.dtype)
        for (const TypeName& row : kTypeNames)
            if (row.dtype == *type.dtype) return row.name;
    if (type.kind == TypeKind::kIndex) return "int64_t";
    return type.kind == TypeKind::kInteger && type.width == 1 ? "bool" : "";
}

std::string parameter_type(const assembly::Module& module, const BlockArgument& argument) {
    const Type& type = *argument.type;
    const std::string element = element_name(type);
    if (type.is_scalar() && !element.empty()) return element;
    // Pointers to types without a C++ equivalent are passed as byte pointers.
    if (!type.is_scalar()) return "__gm__ " + (element.empty() ? "uint8_t" : element) + "*";
    Diagnostic d;
    d.code = "K07";
    d.message = "C++ has no type for the parameter '%" + std::string(argument.name) +
                "': " + std::string(type.text);
    d.hint = "scalars are index, integers of 1 to 64 bits, f16, bf16, f32";
    d.file = module.files[0];
    d.location = argument.location;
    throw DiagnosticError(std::move(d));
}

// Escapes text for quotation marks.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += std::string("\\") + c;
        else if (c == '\n')
            result += "\\n";
        else if (c == '\t')
            result += "\\t";
        else
            result += c;
    }
    return result;
}

std::string literal(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        result += "    \"" + escaped(line) + "\\n\"\n";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

bool is_keyword(std::string_view name) {
    static const std::set<std::string_view>& keywords =
        *new std::set<std::string_view>{"alignas",       "alignof",     "and",
                                        "and_eq",        "asm",         "auto",
                                        "bitand",        "bitor",       "bool",
                                        "break",         "case",        "catch",
                                        "char",          "char16_t",    "char32_t",
                                        "char8_t",       "class",       "co_await",
                                        "co_return",     "co_yield",    "compl",
                                        "concept",       "const",       "const_cast",
                                        "consteval",     "constexpr",   "constinit",
                                        "continue",      "decltype",    "default",
                                        "delete",        "do",          "double",
                                        "dynamic_cast",  "else",        "enum",
                                        "explicit",      "export",      "extern",
                                        "false",         "float",       "for",
                                        "friend",        "goto",        "if",
                                        "inline",        "int",         "long",
                                        "mutable",       "namespace",   "new",
                                        "noexcept",      "not",         "not_eq",
                                        "nullptr",       "operator",    "or",
                                        "or_eq",         "private",     "protected",
                                        "public",        "register",    "reinterpret_cast",
                                        "requires",      "return",      "short",
                                        "signed",        "sizeof",      "static",
                                        "static_assert", "static_cast", "struct",
                                        "switch",        "template",    "this",
                                        "thread_local",  "throw",       "true",
                                        "try",           "typedef",     "typeid",
                                        "typename",      "union",       "unsigned",
                                        "using",         "virtual",     "void",
                                        "volatile",      "wchar_t",     "while",
                                        "xor",           "xor_eq"};
    return keywords.contains(name);
}

// Checks for a C++ name, because names of .pto may contain dots and other characters.
void check_name(const assembly::Module& module, const assembly::Operation& function) {
    const auto belongs = [](char c) {
        return c == '_' || std::isalnum(static_cast<unsigned char>(c));
    };
    const std::string_view name = function.symbol;
    if (std::all_of(name.begin(), name.end(), belongs) &&
        !std::isdigit(static_cast<unsigned char>(name[0])) && !is_keyword(name))
        return;
    Diagnostic d;
    d.code = "K08";
    d.message = "C++ has no function of the name '" + std::string(name) + "'";
    d.hint = "letters, digits and _ make a name there, but for keywords";
    d.file = module.files[0];
    d.location = function.location;
    throw DiagnosticError(std::move(d));
}

std::string digest(const std::string& text) {
    return sha256(std::as_bytes(std::span(text))).substr(0, 16);
}

// The numbers of its identity that the kernel reads.
struct Asked {
    bool block = false, subblock = false;
};
Asked asked_of(const assembly::Program& program) {
    Asked asked;
    asked.subblock = !program.fifos.empty();
    for (const assembly::Step& step : program.steps) {
        if (step.code != assembly::StepCode::kIdentity) continue;
        const auto field = static_cast<IdentityField>(step.index);
        asked.block |= field == IdentityField::kBlock || field == IdentityField::kBlocks;
        asked.subblock |= field == IdentityField::kSubblock || field == IdentityField::kSubblocks;
    }
    return asked;
}

class Writer {
 public:
    explicit Writer(const assembly::Module& module) : module_{module} {}

    std::string run(std::span<const AssembledFunction> functions) {
        for (const AssembledFunction& function : functions) text_of(function.form);
        space_ = "ptosim_assembly_" + digest(std::to_string(functions.size()) + data_.str());
        std::ostringstream records, bodies;
        for (size_t i = 0; i < functions.size(); ++i) {
            record(functions[i], i, records);
            body(functions[i], i, bodies);
        }
        std::ostringstream calls;
        for (const auto& [name, function] : externals_) external_call(*function, calls);
        std::ostringstream out;
        out << "// Written by ptoas of ptosim. It is compiled by the toolkit's bisheng, or by\n"
               "// 'ptosim build', and runs on the simulated chip alone.\n"
               "#include \"pto/pto-inst.hpp\"\n#include \"ptosim/assembly.h\"\n\n"
               "using namespace pto;\n\n"
               "#ifdef PTOSIM_DEVICE_PASS\nnamespace "
            << space_ << " {\n"
            << data_.str() << records.str() << "}\n#endif\n"
            << calls.str() << bodies.str();
        return out.str();
    }

 private:
    // Functions without individual edits share one text.
    const std::string& text_of(const assembly::ExplicitForm& form) {
        const auto [at, added] = texts_.try_emplace(form.text, std::to_string(texts_.size()));
        if (!added) return at->second;
        data_ << "constexpr char text_" << at->second << "[] =\n"
              << literal(form.text) << "    ;\nconstexpr uint32_t lines_" << at->second << "[] = {";
        for (size_t i = 0; i < form.lines.size(); ++i)
            data_ << (i % 16 == 0 ? "\n    " : " ") << form.lines[i] << ",";
        data_ << (form.lines.empty() ? "0" : "\n") << "};\n";
        if (at->second != "0") return at->second;
        data_ << "constexpr const char* files[] = {";
        for (const std::string& file : module_.files) data_ << '"' << escaped(file) << "\", ";
        data_ << "nullptr};\n";
        return at->second;
    }

    void record(const AssembledFunction& function, size_t number, std::ostream& out) {
        const std::string text = text_of(function.form);
        std::string cores;
        const auto runs_on = [&](CoreType core) {
            return function.core.value_or(core) == core && function.kernel->runs_on(core);
        };
        if (runs_on(CoreType::kAIC)) cores = "ptosim_on_aic";
        if (runs_on(CoreType::kAIV))
            cores += std::string(cores.empty() ? "" : " | ") + "ptosim_on_aiv";
        out << "constexpr ptosim_assembly kernel_" << number << " = {\n    \""
            << digest(space_ + function.entry + text) << "\", \"" << function.entry << "\", text_"
            << text << ", files, lines_" << text << ", " << function.form.lines.size() << ",\n    "
            << (cores.empty() ? "0" : cores) << "};\n"
            << "[[gnu::constructor]] void register_" << number
            << "() { ptosim_register_assembly(&kernel_" << number << "); }\n";
    }

    void body(const AssembledFunction& function, size_t number, std::ostream& out) {
        check_name(module_, *function.function);
        const Asked asked = asked_of(function.kernel->program());
        std::string part[] = {"-1", "-1", "-1", "-1"};
        if (asked.block) part[0] = "get_block_idx()", part[1] = "get_block_num()";
        if (asked.subblock) part[2] = "get_subblockid()", part[3] = "get_subblockdim()";
        std::string parameters, arguments;
        unsigned count = 0;
        for (const BlockArgument& argument : function.function->regions[0].blocks[0].arguments) {
            const std::string name = "v" + std::to_string(++count);
            parameters += (count == 1 ? "" : ", ") + parameter_type(module_, argument) + " " + name;
            if (const auto field = assembly::implicit_parameter(argument.name))
                part[static_cast<size_t>(*field)] = name;
            else
                arguments += ", " + name;
        }
        out << "\n__global__ AICORE void " << function.function->symbol << "(" << parameters
            << ") {\n#ifdef PTOSIM_DEVICE_PASS\n"
            << external_table(function.kernel->program()) << "    ptosim::run_assembly(" << space_
            << "::kernel_" << number << ","
            << (function.kernel->program().calls.empty() ? "" : " externals,")
            << "\n                         {" << part[0] << ", " << part[1] << ", " << part[2]
            << ", " << part[3] << "}" << arguments << ");\n#endif\n}\n";
    }

    // The table of functions without a body that the kernel calls, for the run.
    std::string external_table(const assembly::Program& program) {
        std::set<std::string> names;
        for (const assembly::CallPlan& call : program.calls) names.insert(call.function);
        if (names.empty()) return {};
        std::string table = "    static const ptosim_external_function externals[] = {\n";
        for (const std::string& name : names) {
            externals_[name] = module_functions_.by_name.at(name).function;
            table += "        {\"" + name + "\", " + space_ + "::call_" + name + "},\n";
        }
        return table + "        {nullptr, nullptr}};\n";
    }

    // Writes the declaration of such a function, as in the .pto, and a call of it with words.
    void external_call(const assembly::Operation& function, std::ostream& out) const {
        check_name(module_, function);
        std::string result = "void", parameters, values;
        if (!function.result_types.empty())
            result = parameter_type(module_, {"", function.location, function.result_types[0], {}});
        size_t count = 0;
        for (const BlockArgument& argument : function.regions[0].blocks[0].arguments) {
            const std::string type = parameter_type(module_, argument);
            parameters += (count == 0 ? "" : ", ") + type;
            values += (count == 0 ? "" : ", ") + ("ptosim::assembly_value<" + type + ">(words[" +
                                                  std::to_string(count) + "])");
            ++count;
        }
        const std::string call = std::string(function.symbol) + "(" + values + ")";
        out << "\nAICORE " << result << " " << function.symbol << "(" << parameters << ");\n"
            << "#ifdef PTOSIM_DEVICE_PASS\nnamespace " << space_ << " {\ninline uint64_t call_"
            << function.symbol << "(const uint64_t* words) {\n    (void)words;\n"
            << (result == "void" ? "    " + call + ";\n    return 0;\n"
                                 : "    return ptosim::assembly_word(" + call + ");\n")
            << "}\n}\n#endif\n";
    }

    const assembly::Module& module_;
    const assembly::FunctionTable module_functions_ = assembly::functions_of(module_);
    std::map<std::string, const assembly::Operation*> externals_;  // called by any kernel
    std::map<std::string, std::string> texts_;                     // and their numbers
    std::ostringstream data_;
    std::string space_;  // of the C++, because one source may include several of these files
};

}  // namespace

std::string assembly_source(const assembly::Module& module,
                            std::span<const AssembledFunction> functions) {
    return Writer(module).run(functions);
}

}  // namespace ptosim::toolkit
