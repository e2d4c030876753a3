#include "sim/compile/local_arrays.h"

#include <cctype>
#include <string_view>
#include <vector>

#include "sim/compile/tokens.h"

namespace ptosim {
namespace {

constexpr std::string_view kSpace = "__attribute__((address_space(";
constexpr std::string_view kUnifiedBuffer = "256";

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

size_t skip_spaces(std::string_view text, size_t at) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at;
}

// The position after the bracket that closes the one at `at`; npos if there is none.
size_t after_bracket(std::string_view text, size_t at) {
    const char open = text[at], close = open == '[' ? ']' : open == '<' ? '>' : ')';
    int depth = 0;
    for (; at < text.size(); ++at) {
        if (text[at] == open) ++depth;
        if (text[at] == close && --depth == 0) return at + 1;
        if (text[at] == ';' || text[at] == '{') return std::string_view::npos;
    }
    return std::string_view::npos;
}

struct Declaration {
    struct Array {
        size_t name = 0, name_end = 0;
        size_t end = 0;  // after the dimensions
    };
    size_t type = 0, type_end = 0;  // "float", after the qualifier
    std::vector<Array> arrays{};
    size_t end = 0;  // at ';'
};

// Reads the declaration whose qualifier ends before `at`. Returns false unless it declares arrays
// without initial values.
bool read_declaration(std::string_view text, size_t at, Declaration& found) {
    found = {};
    found.type = skip_spaces(text, at);
    size_t i = found.type, name = 0, name_end = 0,
           before = 0;  // before: the end of what precedes the name
    const auto read_word = [&] {
        name = i;
        while (i < text.size() && is_part_of_word(text[i])) ++i;
        name_end = i;
        i = skip_spaces(text, i);
    };
    for (;;) {
        i = skip_spaces(text, i);
        if (i >= text.size()) return false;
        if (text[i] == '<') {
            i = after_bracket(text, i);
            if (i == text.npos) return false;
            before = i;
        } else if (text[i] == ':') {
            ++i;
        } else if (is_part_of_word(text[i])) {
            found.type_end = before;
            read_word();
            before = name_end;
        } else {
            break;
        }
    }
    if (found.type_end == 0) return false;
    for (;;) {
        if (name == name_end) return false;
        while (i < text.size() && text[i] == '[') {
            i = after_bracket(text, i);
            if (i == text.npos) return false;
            i = skip_spaces(text, i);
        }
        found.arrays.push_back({name, name_end, i});
        if (i >= text.size() || text[i] != ',') break;
        i = skip_spaces(text, i + 1);
        read_word();
    }
    found.end = i;
    return i < text.size() && text[i] == ';';
}

// True if a statement begins at the end of `text`.
bool begins_statement(std::string_view text) {
    size_t end = text.size();
    for (;;) {
        while (end > 0 && is_space(text[end - 1])) --end;
        // Skips a line of the preprocessor.
        const size_t line = text.rfind('\n', end == 0 ? 0 : end - 1);
        const size_t begin = line == text.npos ? 0 : line + 1;
        if (end == 0 || begin >= end || text[begin] != '#') break;
        end = begin;
    }
    return end > 0 && (text[end - 1] == ';' || text[end - 1] == '{' || text[end - 1] == '}');
}

// The begin of the word extern before `at`; `at` if there is none.
size_t begin_of_extern(std::string_view text, size_t at) {
    constexpr std::string_view kExtern = "extern";
    size_t end = at;
    while (end > 0 && is_space(text[end - 1])) --end;
    if (end < kExtern.size() || text.substr(end - kExtern.size(), kExtern.size()) != kExtern) return at;
    const size_t begin = end - kExtern.size();
    return begin > 0 && is_part_of_word(text[begin - 1]) ? at : begin;
}

std::string dynamic_array(const std::string& text, const Declaration& found, const std::string& qualifier,
                          const std::string& space) {
    const Declaration::Array& array = found.arrays.front();
    const std::string type = qualifier + " " + text.substr(found.type, found.type_end - found.type);
    const std::string name = text.substr(array.name, array.name_end - array.name);
    const std::string dimensions = text.substr(array.name_end, array.end - array.name_end);
    const std::string rest = dimensions.substr(dimensions.find(']') + 1);
    const std::string pointer = rest.empty() ? type + "* " : type + " (*)" + rest;
    return (rest.empty() ? type + "* " + name : type + " (*" + name + ")" + rest) + " = (" + pointer + ")((::pto::ptosim_detail::local_top<" + space + ">() + 31) / 32 * 32)";
}

}  // namespace

std::string with_local_arrays(std::string text, bool threads) {
    unsigned arrays = 0;
    const bool pipes = text.find("class TPipe") != text.npos;
    for (size_t at = 0; (at = text.find(kSpace, at)) != text.npos;) {
        const size_t begin = at;
        const size_t number = at + kSpace.size();
        const size_t qualifier_end = text.find(")))", number);
        at = number;
        Declaration found;
        if (qualifier_end == text.npos) continue;
        if (const size_t before = begin_of_extern(text, begin); threads && before != begin) {
            if (!read_declaration(text, qualifier_end + 3, found) || found.arrays.size() > 1)
                continue;
            const std::string made = dynamic_array(text, found, text.substr(begin, qualifier_end + 3 - begin),
                                                   text.substr(number, qualifier_end - number));
            text.replace(before, found.end - before, made);
            at = before + made.size();
            continue;
        }
        if (!begins_statement(std::string_view(text).substr(0, begin)) ||
            !read_declaration(text, qualifier_end + 3, found))
            continue;
        const std::string qualifier = text.substr(begin, qualifier_end + 3 - begin);
        const std::string type =
            qualifier + " " + text.substr(found.type, found.type_end - found.type);
        const std::string space = text.substr(number, qualifier_end - number);
        const bool shared = threads && space == kUnifiedBuffer;
        std::string made;
        for (const Declaration::Array& declared : found.arrays) {
            const std::string name = text.substr(declared.name, declared.name_end - declared.name);
            const std::string dimensions =
                text.substr(declared.name_end, declared.end - declared.name_end);
            const std::string array = "ptosim_array_" + std::to_string(arrays++);
            if (!made.empty()) made += "; ";
            if (shared) made += "static ptosim_shared_array " + array + "_place; ";
            if (shared && pipes)
                made += "auto " + array + " = ::pto::ptosim_detail::static_array<" + type + " " +
                        dimensions + ">(" + array + "_place, [] {}); ";
            else
                made += "::pto::ptosim_detail::LocalArray<" + type + " " + dimensions + ", " +
                        space + "> " + array + (shared ? "{" + array + "_place}" : "") + "; ";
            made += type + " (&" + name + ")" + dimensions + " = " + array + ".get()";
        }
        text.replace(begin, found.end - begin, made);
        at = begin + made.size();
    }
    return text;
}

}  // namespace ptosim
