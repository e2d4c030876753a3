// Command lines of the toolkit's tools that accept "--name=value" or "--name value", with one dash or two. Each tool
// has a table whose rows give the effect of every option here.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim::toolkit {

// `Effect` is the tool's enumeration, with at least kIgnored and kRefused.
template <class Effect>
struct ToolOption {
    std::string_view name;  // without dashes; a name that ends with '*' matches all with that prefix
    bool has_value = false;
    Effect effect = Effect::kIgnored;
    std::string_view what;  // its meaning here, or the reason for ignoring or refusing it
};

template <class Effect>
struct GivenOption {
    const ToolOption<Effect>& row;
    std::string value;  // for a switch: the text after "="
};

inline bool is_named(std::string_view pattern, std::string_view name) {
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                  : name == pattern;
}

// Parses the option at words[at]; advances `at` to its value if that is a separate word. Throws DiagnosticError (H04)
// for an option that is unknown, refused, or lacks its value.
template <class Effect>
GivenOption<Effect> take_option(const std::string& tool,
                                std::span<const ToolOption<Effect>> options,
                                const std::vector<std::string>& words, size_t& at) {
    const std::string& word = words[at];
    const std::string rest = word.substr(std::min<size_t>(word.find_first_not_of('-'), 2));
    const size_t equals = std::min(rest.find('='), rest.size());
    const std::string name = rest.substr(0, equals);
    const auto row = std::find_if(options.begin(), options.end(),
                                  [&](const auto& option) { return is_named(option.name, name); });
    if (row == options.end())
        fail_input("H04", tool + ": " + word + " is not supported",
                   tool + " --help lists the options");
    if (row->effect == Effect::kRefused)
        fail_input("H04", tool + ": " + word + " is not supported here", std::string(row->what));
    if (equals < rest.size()) return {*row, rest.substr(equals + 1)};
    if (!row->has_value) return {*row, ""};
    if (at + 1 == words.size())
        fail_input("H04", tool + ": " + word + " needs a value", std::string(row->what));
    return {*row, words[++at]};
}

// A Markdown table of the options. A name of one letter has one dash.
template <class Effect>
std::string options_table(std::span<const ToolOption<Effect>> options) {
    std::string text = "| option | here | meaning, or why |\n|---|---|---|\n";
    for (const ToolOption<Effect>& row : options) {
        const char* const here = row.effect == Effect::kIgnored   ? "ignored"
                                 : row.effect == Effect::kRefused ? "refused"
                                                                  : "honoured";
        text += "| `" + std::string(row.name.size() == 1 ? "-" : "--") + std::string(row.name) +
                (row.has_value ? "=..." : "") + "` | " + here + " | " + std::string(row.what) +
                " |\n";
    }
    return text;
}

}  // namespace ptosim::toolkit
