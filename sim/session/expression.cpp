#include "sim/session/expression.h"

#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/machine/model/parameters.h"

namespace ptosim {
namespace {

double remainder_of(double a, double b) { return a - b * std::floor(a / b); }
double down(double x, double m) { return std::floor(x / m) * m; }
double up(double x, double m) { return std::ceil(x / m) * m; }

double power_of_two(double x) {
    double result = 1;
    while (result * 2 <= x) result *= 2;
    return x < 1 ? 0 : result;
}

void define(mu::Parser& parser) {
    parser.DefineNameChars("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.");
    parser.DefineOprtChars("+-*/^?<>=!%&|%'~$");
    parser.DefineOprt("%", remainder_of, mu::prMUL_DIV, mu::oaLEFT);
    parser.DefineFun("floor", static_cast<double (*)(double)>(std::floor));
    parser.DefineFun("ceil", static_cast<double (*)(double)>(std::ceil));
    parser.DefineFun("down", down);
    parser.DefineFun("up", up);
    parser.DefineFun("pow2", power_of_two);
}

std::string suggestion(const std::string& word, const Values& values) {
    std::vector<std::string_view> names;
    std::string listed;
    for (const Values* set = &values; set != nullptr; set = set->outer())
        for (const auto& [name, value] : set->own()) {
            names.push_back(name);
            if (!name.starts_with("chip.")) listed += name + ", ";
        }
    const std::string near = closest(word, names);
    if (!near.empty()) return "did you mean '" + near + "'?";
    return "known names: " + listed + "and chip.PATH ('ptosim chips NAME' lists the paths)";
}

// Candidates for names in a text: words of letters, digits, '_' and '.'.
template <typename F>
void for_each_word(std::string_view text, F&& f) {
    const auto in_word = [](char c) {
        return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
               (c >= 'A' && c <= 'Z');
    };
    for (size_t i = 0; i < text.size();) {
        size_t end = i;
        while (end < text.size() && in_word(text[end])) ++end;
        if (end > i) f(text.substr(i, end - i));
        i = std::max(end, i + 1);
    }
}

}  // namespace

const double* Values::find(std::string_view name) const {
    const auto found = own_.find(name);
    if (found != own_.end()) return &found->second;
    return outer_ == nullptr ? nullptr : outer_->find(name);
}

double evaluate(std::string_view text, const Values& values) {
    try {
        mu::Parser parser;
        define(parser);
        for_each_word(text, [&](std::string_view word) {
            if (const double* value = values.find(word))
                parser.DefineConst(std::string(word), *value);
        });
        parser.SetExpr(std::string(text));
        const double result = parser.Eval();
        if (!std::isfinite(result))
            throw ExpressionError("'" + std::string(text) + "' is not a finite number");
        return result;
    } catch (const mu::Parser::exception_type& error) {
        if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN && !error.GetToken().empty())
            throw ExpressionError(
                "'" + std::string(text) + "': unknown name '" + error.GetToken() + "'",
                suggestion(error.GetToken(), values));
        throw ExpressionError("'" + std::string(text) + "': " + error.GetMsg());
    }
}

int64_t evaluate_integer(std::string_view text, const Values& values) {
    const double value = evaluate(text, values);
    if (value != std::floor(value) || std::abs(value) > 0x1p53)
        throw ExpressionError(
            "'" + std::string(text) + "' is " + std::to_string(value) + ", not a whole number",
            "round it with floor(), ceil(), down(x, multiple) or up(x, multiple)");
    return static_cast<int64_t>(value);
}

bool evaluate_condition(std::string_view text, const Values& values) {
    return evaluate(text, values) != 0;
}

std::string substitute(std::string_view text, const Values& values) {
    std::string result;
    while (true) {
        const size_t begin = text.find("${");
        result += text.substr(0, begin);
        if (begin == std::string_view::npos) return result;
        const size_t end = text.find('}', begin);
        if (end == std::string_view::npos)
            throw ExpressionError("'" + std::string(text.substr(begin)) + "' has no closing '}'");
        result += std::to_string(evaluate_integer(text.substr(begin + 2, end - begin - 2), values));
        text.remove_prefix(end + 1);
    }
}

Values chip_values(const ChipModel& chip) {
    Values values;
    ChipModel copy = chip;
    for (const ParameterRow& row : parameter_rows())
        if (chip.stated(row.field(copy)) != nullptr)
            values["chip." + row.path] = static_cast<double>(row.field(copy).value()) / row.scale;
    return values;
}

}  // namespace ptosim
