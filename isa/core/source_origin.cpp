#include "isa/core/source_origin.h"

#include <algorithm>
#include <charconv>

namespace ptosim {

namespace {

constexpr std::string_view kLoc = "loc(";
constexpr int kMostAliases = 16;  // one that names another one

// Removes and returns the number after a colon at the begin of `rest`; 0: there is none.
uint32_t number_behind_colon(std::string_view& rest) {
    uint32_t value = 0;
    if (!rest.starts_with(':')) return 0;
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), value);
    if (error != std::errc{}) return 0;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    return value;
}

// The first "file":line:column of a location.
std::optional<SourceOrigin> first_place(std::string_view body) {
    for (size_t quote = body.find('"'); quote != body.npos; quote = body.find('"', quote + 1)) {
        const size_t end = body.find('"', quote + 1);
        if (end == body.npos) return std::nullopt;
        std::string_view rest = body.substr(end + 1);
        SourceOrigin origin{std::string(body.substr(quote + 1, end - quote - 1)), 0, 0};
        origin.line = number_behind_colon(rest);
        origin.column = static_cast<uint16_t>(std::min(number_behind_colon(rest), 65535u));
        if (origin.line > 0) return origin;
        quote = end;
    }
    return std::nullopt;
}

// The alias "#loc4" in a location without a position.
std::string_view alias_in(std::string_view body) {
    const size_t begin = body.find('#');
    if (begin == body.npos) return {};
    const size_t end = body.find_first_of(")], ", begin);
    return body.substr(begin, end == body.npos ? end : end - begin);
}

// The text between the parentheses of "#loc4 = loc(...)".
std::string_view definition_of(std::string_view text, std::string_view alias) {
    const std::string wanted = std::string(alias) + " = " + std::string(kLoc);
    for (size_t at = text.rfind(wanted); at != text.npos && at > 0; at = text.rfind(wanted, at - 1))
        if (text[at - 1] == '\n') {
            const size_t begin = at + wanted.size();
            return text.substr(begin, text.find('\n', begin) - begin);
        }
    return {};
}

}  // namespace

std::optional<SourceOrigin> origin_of(std::string_view text, std::string_view line) {
    size_t at = line.rfind(kLoc);
    // loc( begins a word, and ends the line.
    if (at == line.npos || at == 0 || line[at - 1] != ' ' || line.find("//") < at)
        return std::nullopt;
    std::string_view body = line.substr(at + kLoc.size());
    for (int i = 0; i < kMostAliases && !body.empty(); ++i) {
        if (std::optional<SourceOrigin> origin = first_place(body)) return origin;
        const std::string_view alias = alias_in(body);
        if (alias.empty()) return std::nullopt;
        body = definition_of(text, alias);
    }
    return std::nullopt;
}

}  // namespace ptosim
