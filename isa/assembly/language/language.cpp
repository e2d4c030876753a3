#include "isa/assembly/language/language.h"

#include <algorithm>
#include <array>

#include "isa/assembly/language/language_texts.h"

namespace ptosim::assembly {

namespace {

constexpr OperationHelp kOperations[] = {
#define OPERATION(NAMES, BINDER, METHOD, GROUP, SYNTAX, SUMMARY) {NAMES, GROUP, SYNTAX, SUMMARY},
#define GRAMMAR(NAMES, GROUP, SYNTAX, SUMMARY) {NAMES, GROUP, SYNTAX, SUMMARY},
#define INSTRUCTION_FORM(NAMES, BINDER, METHOD)
#include "isa/assembly/language/assembly_operations.def"
#undef OPERATION
#undef GRAMMAR
#undef INSTRUCTION_FORM
};

// Spellings of an attribute's values in the text: `#pto<FAMILY VALUE>`. Attributes that are not listed are numbers,
// truth values or strings (hw-native-sys/PTOAS include/PTO/IR/PTOAttrs.td).
constexpr std::pair<std::string_view, std::string_view> kFamilies[] = {
    {"rmode", "round_mode"},
    {"roundMode", "round_mode"},
    {"sat_mode", "saturation_mode"},
    {"satMode", "saturation_mode"},
    {"cmpMode", "cmp"},
    {"cmp_mode", "cmp"},
    {"reluPreMode", "relu_pre_mode"},
    {"atomicType", "atomic_type"},
    {"atomic_type", "atomic_type"},
    {"scatterAtomicOp", "scatter_atomic_op"},
    {"stPhase", "st_phase"},
    {"accPhase", "acc_phase"},
    {"accToVecMode", "acc_to_vec_mode"},
    {"quant_type", "quant_type"},
    {"quantType", "quant_type"},
    {"maskPattern", "mask_pattern"},
    {"precisionType", "precision"},
    {"precision_mode", "precision"},
    {"gatherOob", "gather_oob"},
    {"scatterOob", "scatter_oob"},
    {"coalesce", "coalesce"},
    {"quantScaleAlg", "quant_scale_alg"},
    {"grpAxis", "grp_axis"},
    {"insertMode", "insert_mode"},
    {"tf32_mode", "tf32_mode"},
    {"printFormat", "print_format"},
    {"core_type", "sync_core_type"},
};

// Keys that are written in brackets or after the name instead of in a dictionary: set_flag[<PIPE_V>, ...].
constexpr std::string_view kPositional = "src_pipe dst_pipe pipe event_id";
// Spellings of other versions of the dialect, which have a row with the usual one.
constexpr std::string_view kOtherSpellings =
    "satMode roundMode cmp_mode atomic_type quantType precision_mode";

bool lists(std::string_view names, std::string_view name) {
    for (size_t at = 0; at < names.size();) {
        const size_t end = std::min(names.find(' ', at), names.size());
        if (names.substr(at, end - at) == name) return true;
        at = end + 1;
    }
    return false;
}

std::string_view next_line(std::string_view& text) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

size_t indentation(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

// Place of an example: its file, and the offset of the line after its comment.
struct ExampleSpan {
    std::string_view file;
    size_t begin = std::string_view::npos;
};
ExampleSpan find_example(std::string_view operation) {
    const std::string mark = "// example " + std::string(operation) + "\n";
    for (const LanguageText which : {LanguageText::kExamplesA2A3, LanguageText::kExamplesA5}) {
        const std::string_view file = language_text(which);
        const size_t at = file.find(mark);
        if (at != std::string_view::npos) return {file, at + mark.size()};
    }
    return {};
}

// Names of one row share a syntax, so the first name's text applies to the others.
std::string with_name(std::string text, std::string_view first, std::string_view name) {
    for (size_t at = text.find(first); at != std::string::npos; at = text.find(first, at)) {
        text.replace(at, first.size(), name);
        at += name.size();
    }
    return text;
}
// The name in whose example `operation` is shown: its own, or the first of its row.
std::string_view shown_by(std::string_view operation) {
    if (find_example(operation).begin != std::string_view::npos) return operation;
    const OperationHelp* help = find_operation_help(operation);
    return help == nullptr ? operation : help->names.substr(0, help->names.find(' '));
}

// The first line from `begin` and its continuation, to the '}' that closes its regions.
std::string_view whole_operation(std::string_view file, size_t begin) {
    std::string_view rest = file.substr(begin);
    int depth = 0;
    size_t size = 0;
    do {
        const std::string_view line = next_line(rest);
        depth += static_cast<int>(std::count(line.begin(), line.end(), '{')) -
                 static_cast<int>(std::count(line.begin(), line.end(), '}'));
        size += line.size() + 1;
        // `case` and `default` follow after a closed region, or an operation without one.
        const std::string_view next = rest.substr(indentation(rest));
        if (depth == 0 && !next.starts_with("case ") && !next.starts_with("default")) break;
    } while (!rest.empty());
    return file.substr(begin, size - 1);
}

std::string without_margin(std::string_view text, size_t margin) {
    std::string result;
    while (!text.empty()) {
        std::string_view line = next_line(text);
        if (line.substr(indentation(line)).starts_with("// example ")) continue;
        line.remove_prefix(std::min(margin, indentation(line)));
        result += (result.empty() ? "" : "\n") + std::string(line);
    }
    return result;
}

// A cell of a row of a table in Markdown, without the blanks around it.
std::string_view cell(std::string_view row, unsigned index) {
    size_t at = 1;
    for (; index > 0; --index) at = row.find('|', at) + 1;
    std::string_view text = row.substr(at, row.find('|', at) - at);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
}

}  // namespace

std::span<const OperationHelp> operation_help() { return kOperations; }

const OperationHelp* find_operation_help(std::string_view word) {
    const std::string with_prefix = "pto." + std::string(word);
    for (const OperationHelp& operation : kOperations)
        if (lists(operation.names, word) || lists(operation.names, with_prefix)) return &operation;
    return nullptr;
}

std::string example_of(std::string_view operation) {
    const std::string_view shown = shown_by(operation);
    const ExampleSpan span = find_example(shown);
    if (span.begin == std::string_view::npos) return {};
    const size_t margin = indentation(span.file.substr(span.begin));
    return with_name(without_margin(whole_operation(span.file, span.begin), margin), shown,
                     operation);
}

std::string example_file(std::string_view operation) {
    const std::string_view shown = shown_by(operation);
    const ExampleSpan span = find_example(shown);
    if (span.begin == std::string_view::npos) return {};
    // The file's elements are indented by two columns: each extends from the last comment line or blank line before it
    // to its closing bracket.
    const size_t begin = span.file.rfind("\n\n", span.begin) + 2;
    const size_t end = std::min(span.file.find("\n\n", span.begin), span.file.rfind("\n}"));
    const std::string_view head = span.file.substr(span.file.find("module "));
    const std::string_view line = whole_operation(span.file, span.begin);
    const size_t behind = span.begin + line.size();
    return std::string(head.substr(0, head.find('\n') + 1)) +
           std::string(span.file.substr(begin, span.begin - begin)) +
           with_name(std::string(line), shown, operation) +
           std::string(span.file.substr(behind, end - behind)) + "\n}\n";
}

std::string syntax_of(const OperationHelp& operation, std::string_view name) {
    const std::string_view first = operation.names.substr(0, operation.names.find(' '));
    return with_name(std::string(operation.syntax), first, name);
}

std::vector<const AttributeInfo*> attributes_in_text(const InstructionInfo& row) {
    std::vector<const AttributeInfo*> attributes;
    for (const AttributeInfo& attribute : attribute_table())
        if (row.attributes.has(attribute.set_of) && !lists(kPositional, attribute.key) &&
            !lists(kOtherSpellings, attribute.key))
            attributes.push_back(&attribute);
    return attributes;
}

std::string attribute_form(const AttributeInfo& attribute) {
    const std::string key(attribute.key);
    const auto family = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                     [&](const auto& row) { return row.first == attribute.key; });
    if (family != std::end(kFamilies))
        return key + " = #pto<" + std::string(family->second) + " VALUE>";
    if (attribute.values == "true false") return key + " = VALUE";
    const bool number = attribute.values.find_first_not_of("0123456789 ") == std::string::npos ||
                        attribute.values.starts_with("a ") || attribute.values.starts_with("0 ");
    return key + (number ? " = VALUE : i32" : " = \"VALUE\"");
}

std::vector<ApiCall> api_calls(std::string_view name) {
    std::vector<ApiCall> calls;
    std::string_view page = language_text(LanguageText::kApiPage);
    const std::string begin = "| " + std::string(name) + " |";
    while (!page.empty()) {
        const std::string_view row = next_line(page);
        if (!row.starts_with(begin)) continue;
        std::string_view call = cell(row, 1);
        call = call.substr(1, call.size() - 2);  // the page has it in backquotes
        std::string choices(cell(row, 2));
        std::erase(choices, '`');
        calls.push_back({call, std::move(choices), cell(row, 3)});
    }
    return calls;
}

std::string operations_page() {
    std::string page =
        "# Operations of the dialect\n\n"
        "Made by `ptosim isa --operations`. Types and values: docs/kernels.md; instructions: "
        "[instructions](instructions.md).\n`ptosim isa NAME` prints a working line of each.\n";
    std::string_view group;
    for (const OperationHelp& operation : kOperations) {
        if (operation.group != group) {
            group = operation.group;
            const std::string title =
                group == "verified" ? "verified by `--dry-run`, not run" : std::string(group);
            page += "\n## " + title + "\n\n| operation | syntax | what it does |\n|---|---|---|\n";
        }
        std::string names;
        for (std::string_view rest = operation.names; !rest.empty();) {
            const size_t end = std::min(rest.find(' '), rest.size());
            names += (names.empty() ? "`" : ", `") + std::string(rest.substr(0, end)) + "`";
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        page += "| " + names + " | `" + escaped(operation.syntax) + "` | " +
                escaped(operation.summary) + " |\n";
    }
    return page;
}

}  // namespace ptosim::assembly
