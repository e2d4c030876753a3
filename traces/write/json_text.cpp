#include "traces/write/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <set>

#include "sim/files/json.h"

namespace ptosim {

// Eight characters at a time.
bool is_plain(std::string_view text) {
    constexpr uint64_t kOnes = 0x0101010101010101, kHigh = 0x80 * kOnes;
    const auto has_zero = [](uint64_t x) { return (x - kOnes) & ~x & kHigh; };
    for (size_t at = 0; at < text.size(); at += 8) {
        uint64_t eight = 0x2020202020202020;
        std::memcpy(&eight, text.data() + at, std::min<size_t>(8, text.size() - at));
        const uint64_t below_space = (eight - 0x20 * kOnes) & ~eight & kHigh;
        const uint64_t beyond_tilde = ((eight + kOnes) | eight) & kHigh;
        if ((below_space | beyond_tilde | has_zero(eight ^ '"' * kOnes) |
             has_zero(eight ^ '\\' * kOnes)) != 0)
            return false;
    }
    return true;
}

std::string json_quoted(std::string_view text) {
    if (is_plain(text)) {
        std::string quoted;
        quoted.reserve(text.size() + 2);
        return quoted.append(1, '"').append(text).append(1, '"');
    }
    return dump_json(Json(text));
}

std::string json_number(double number) {
    constexpr double kLeast = 1e-4, kMost = 1e15;  // between them, without an exponent
    if (number != 0 && (std::fabs(number) < kLeast || !(std::fabs(number) < kMost)))
        return dump_json(Json(number));
    char digits[64];
    const auto [end, error] =
        std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed);
    std::string text(digits, end);
    return text.find('.') == std::string::npos ? text + ".0" : text;
}

LocationTexts::LocationTexts(const Sources& sources, bool brief)
    : sources_{sources}, brief_{brief} {
    std::set<std::string> names, parts;
    for (size_t i = 0; i < sources.size(); ++i) {
        const std::string name = sources.file(i).name;
        parts.emplace(last_part(name));
        names.insert(name);
    }
    brief_ = brief && parts.size() == names.size();
}

std::string_view LocationTexts::last_part(std::string_view name) {
    return name.substr(name.find_last_of("/\\") + 1);
}

const std::string& LocationTexts::quoted(SourceLocation location) {
    const uint64_t key = uint64_t{location.file} << 32 | location.line;
    const auto [entry, added] = texts_.try_emplace(key);
    if (added) {
        const std::string text = sources_.text(location);
        entry->second = json_quoted(brief_ ? last_part(text) : text);
    }
    return entry->second;
}

}  // namespace ptosim
