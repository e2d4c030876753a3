#include "sim/compile/compiler_hints.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/table/instruction_table.h"

namespace ptosim {
namespace {

// The word that a message quotes after `before`: 'TADDX', ‘TADDX’.
std::string quoted(std::string_view messages, std::string_view before) {
    const size_t at = messages.find(before);
    if (at == messages.npos) return {};
    size_t begin = at + before.size(), end = begin;
    const auto is_name = [&](size_t i) {
        const auto c = static_cast<unsigned char>(messages[i]);
        return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
    };
    while (begin < messages.size() && !is_name(begin)) ++begin;
    for (end = begin; end < messages.size() && is_name(end);) ++end;
    return std::string(messages.substr(begin, end - begin));
}

// The word in quotes that ends before `after`.
std::string quoted_before(std::string_view messages, std::string_view after) {
    const size_t at = messages.find(after);
    if (at == messages.npos) return {};
    const auto is_name = [&](size_t i) {
        return std::isalnum(static_cast<unsigned char>(messages[i])) != 0 || messages[i] == '_';
    };
    size_t end = at;
    while (end > 0 && !is_name(end - 1)) --end;
    size_t begin = end;
    while (begin > 0 && is_name(begin - 1)) --begin;
    return std::string(messages.substr(begin, end - begin));
}

std::string of_missing_header(const std::string& header, bool ascendc) {
    if (header.starts_with("kernel_") && !ascendc)
        return "'" + header +
               "' is a header of Ascend C: give --ascendc DIR (a checkout of asc-devkit) or set "
               "PTOSIM_ASCENDC";
    return "header '" + header +
           "' was not found: name its folder with -I FOLDER (ptosim run and check: --include)";
}

std::string of_unknown_function(const std::string& name) {
    const bool tile =
        name.size() > 2 && name[0] == 'T' && std::isupper(static_cast<unsigned char>(name[1])) != 0;
    if (!tile) return {};
    std::vector<std::string_view> names;
    for (const InstructionInfo& row : instruction_table()) names.push_back(row.name);
    if (std::find(names.begin(), names.end(), name) != names.end())
        return "tile function '" + name + "' exists, but not with these arguments: 'ptosim isa " +
               name + "' shows its call";
    const std::string near = closest(name, names);
    return "unknown tile function '" + name + "': " +
           (near.empty() ? "'ptosim isa' lists them"
                         : "did you mean '" + near + "'? 'ptosim isa' lists them");
}

}  // namespace

std::string compiler_hint(std::string_view messages, bool ascendc) {
    // g++: fatal error: NAME: No such file; clang++: fatal error: 'NAME' file not found.
    if (messages.find("No such file or directory") != messages.npos ||
        messages.find("file not found") != messages.npos)
        if (const std::string header = quoted(messages, "fatal error:"); !header.empty())
            return of_missing_header(header, ascendc);
    for (const std::string_view after :
         {"was not declared in this scope", " is not a member of", "was not declared"})
        if (std::string hint = of_unknown_function(quoted_before(messages, after)); !hint.empty())
            return hint;
    for (const std::string_view before :
         {"use of undeclared identifier", "no matching function for call to", "no member named"})
        if (std::string hint = of_unknown_function(quoted(messages, before)); !hint.empty())
            return hint;
    return {};
}

}  // namespace ptosim
