#include "sim/session/kernel_parameters.h"

#include <algorithm>
#include <charconv>

#include "isa/core/diagnostic.h"

namespace ptosim {
namespace {

std::string_view trim(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool is_name(std::string_view word) {
    return !word.empty() && (word[0] < '0' || word[0] > '9') &&
           std::all_of(word.begin(), word.end(), [](char c) {
               return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                      (c >= 'A' && c <= 'Z');
           });
}

struct Line {
    enum class Kind { kText, kParam, kRequire, kSearch, kShort, kBlocks, kArgument, kUnknown };
    Kind kind = Kind::kText;
    std::string_view name;
    std::string_view expression;
    std::string_view help;  // of a parameter; the reason of a requirement
};

// Splits "word rest" at the first blank.
std::pair<std::string_view, std::string_view> first_word(std::string_view text) {
    const size_t end = text.find_first_of(" \t");
    if (end == std::string_view::npos) return {text, {}};
    return {text.substr(0, end), trim(text.substr(end))};
}

Line classify(std::string_view text) {
    text = trim(text);
    if (!text.starts_with("//!")) return {};
    const auto [word, rest] = first_word(trim(text.substr(3)));
    if (word == "require") {
        const size_t colon = rest.rfind(" : ");
        if (colon == std::string_view::npos) return {Line::Kind::kRequire, {}, rest, {}};
        return {
            Line::Kind::kRequire, {}, trim(rest.substr(0, colon)), trim(rest.substr(colon + 3))};
    }
    if (word == "blocks" || word == "argument")
        return {word == "blocks" ? Line::Kind::kBlocks : Line::Kind::kArgument, {}, trim(rest.substr(0, rest.find(" //"))), {}};
    const size_t equals = rest.find('=');
    if ((word == "search" || word == "short") && equals != std::string_view::npos) {
        const std::string_view values = rest.substr(equals + 1);
        return {word == "search" ? Line::Kind::kSearch : Line::Kind::kShort, trim(rest.substr(0, equals)),
                trim(values.substr(0, values.find("//"))), {}};
    }
    if (word != "param" || equals == std::string_view::npos ||
        !is_name(trim(rest.substr(0, equals))))
        return {Line::Kind::kUnknown, {}, {}, {}};
    const std::string_view value = rest.substr(equals + 1);
    const size_t comment = value.find("//");
    return {
        Line::Kind::kParam, trim(rest.substr(0, equals)), trim(value.substr(0, comment)),
        comment == std::string_view::npos ? std::string_view{} : trim(value.substr(comment + 2))};
}

template <typename F>
void for_each_line(std::string_view text, F&& f) {
    for (unsigned number = 1; !text.empty(); ++number) {
        const size_t end = std::min(text.find('\n'), text.size());
        f(number, text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

struct SourceLine {
    const std::string& path;
    unsigned line;
    std::string_view text;
};

[[noreturn]] void fail_at(const SourceLine& source, std::string message, std::string hint) {
    Diagnostic diagnostic;
    diagnostic.code = "I50";
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    diagnostic.file = source.path;
    diagnostic.location.line = source.line;
    const size_t indent = std::min(source.text.find_first_not_of(" \t"), source.text.size());
    diagnostic.location.column = static_cast<uint16_t>(indent + 1);
    diagnostic.source_line = std::string(source.text);
    throw DiagnosticError(std::move(diagnostic));
}

template <typename F>
auto located(const SourceLine& source, F&& f) {
    try {
        return f();
    } catch (const ExpressionError& error) {
        fail_at(source, error.what(), error.hint);
    }
}

void check_names(const std::string& path, const std::vector<KernelParameter>& declared,
                 const GivenParameters& given) {
    std::vector<std::string_view> names;
    for (const KernelParameter& parameter : declared) names.push_back(parameter.name);
    for (const auto& [name, value] : given) {
        if (std::find(names.begin(), names.end(), name) != names.end()) continue;
        if (names.empty())
            fail_input("I50", path + " declares no parameters: '" + name + "' cannot be set",
                       "a kernel declares them in lines like //! param TILE_M = 128");
        const std::string near = closest(name, names);
        std::string accepted;
        for (std::string_view word : names)
            accepted += (accepted.empty() ? "" : ", ") + std::string(word);
        fail_input("I50", path + " has no parameter '" + name + "'",
                   (near.empty() ? "" : "did you mean '" + near + "'? ") + "it has " + accepted);
    }
}

}  // namespace

std::vector<KernelParameter> declared_parameters(std::string_view text) {
    std::vector<KernelParameter> result;
    for_each_line(text, [&](unsigned number, std::string_view line) {
        const Line parts = classify(line);
        if (parts.kind == Line::Kind::kParam)
            result.push_back({std::string(parts.name), std::string(parts.expression),
                              std::string(parts.help), number});
    });
    return result;
}

ExpandedKernel expand_parameters(const std::string& path, std::string_view text,
                                 const GivenParameters& given, const Values& chip) {
    check_names(path, declared_parameters(text), given);
    ExpandedKernel result;
    Values values(&chip);
    for_each_line(text, [&](unsigned number, std::string_view line) {
        const SourceLine source{path, number, line};
        const Line parts = classify(line);
        switch (parts.kind) {
            case Line::Kind::kText:
                result.text += located(source, [&] { return substitute(line, values); });
                break;
            case Line::Kind::kParam: {
                const std::string name(parts.name);
                if (result.values.find(name) != nullptr)
                    fail_at(source, "the parameter '" + name + "' is declared twice", "");
                const auto found = given.find(name);
                const int64_t value = found != given.end() ? found->second : located(source, [&] {
                    return evaluate_integer(parts.expression, values);
                });
                values[name] = result.values[name] = static_cast<double>(value);
                result.text += line;
                break;
            }
            case Line::Kind::kRequire:
                if (!located(source,
                             [&] { return evaluate_condition(parts.expression, values); })) {
                    std::string values;
                    for (const auto& [name, value] : result.values.own())
                        values += (values.empty() ? "" : ", ") + name + " = " +
                                  std::to_string(static_cast<int64_t>(value));
                    throw RequirementError(
                        path + ":" + std::to_string(number) + ": " +
                            (parts.help.empty() ? "" : std::string(parts.help) + ": ") +
                            std::string(parts.expression) + " does not hold",
                        values);
                }
                result.text += line;
                break;
            case Line::Kind::kSearch:
            case Line::Kind::kShort:
            case Line::Kind::kBlocks:
            case Line::Kind::kArgument:
                result.text += line;
                break;
            case Line::Kind::kUnknown:
                fail_at(
                    source, "a line of parameters that cannot be read",
                    "//! param NAME = EXPRESSION [// help], or //! require CONDITION [: reason]");
        }
        result.text += '\n';
    });
    return result;
}

SweepLines sweep_lines(const std::string& path, std::string_view text) {
    SweepLines result;
    GivenParameters named;
    for_each_line(text, [&](unsigned number, std::string_view line) {
        const SourceLine source{path, number, line};
        const Line parts = classify(line);
        if (parts.kind == Line::Kind::kBlocks) result.blocks = parts.expression;
        if (parts.kind == Line::Kind::kArgument) result.arguments.emplace_back(parts.expression);
        if (parts.kind != Line::Kind::kSearch && parts.kind != Line::Kind::kShort) return;
        std::vector<int64_t> values;
        for (std::string_view rest = parts.expression; !rest.empty();) {
            const size_t comma = std::min(rest.find(','), rest.size());
            const std::string_view word = trim(rest.substr(0, comma));
            int64_t value = 0;
            const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
            if (word.empty() || error != std::errc{} || stop != word.data() + word.size())
                fail_at(source, "'" + std::string(word) + "' is not a whole number",
                        "for example //! search TILE_M = 64, 128, 256");
            values.push_back(value);
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
        const std::string name(parts.name);
        if (values.empty()) fail_at(source, "'" + name + "' has no value", "for example //! short ROWS = 512");
        named[name] = values.front();
        if (parts.kind == Line::Kind::kSearch)
            result.search.emplace_back(name, std::move(values));
        else
            result.brief[name] = values.front();
    });
    check_names(path, declared_parameters(text), named);
    return result;
}

GivenParameters parse_parameters(const std::vector<std::string>& words) {
    GivenParameters result;
    for (const std::string& word : words) {
        const size_t equals = word.find('=');
        int64_t value = 0;
        const char* const end = word.data() + word.size();
        const char* const begin = word.data() + std::min(equals + 1, word.size());
        const auto [stop, error] = std::from_chars(begin, end, value);
        if (equals == std::string::npos || !is_name(word.substr(0, equals)) ||
            error != std::errc{} || stop != end)
            fail_input("I50", "--param " + word + ": expected NAME=WHOLE NUMBER",
                       "for example --param TILE_M=64");
        if (!result.emplace(word.substr(0, equals), value).second)
            fail_input("I50",
                       "--param " + word + ": '" + word.substr(0, equals) + "' is given twice",
                       "give each parameter one value");
    }
    return result;
}

}  // namespace ptosim
