#include "sim/compile/device_words.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "sim/compile/tokens.h"

namespace ptosim {
namespace {

constexpr std::string_view kGlobal = "__ptosim_gm__";
constexpr std::string_view kNoSpace = "__attribute__((address_space(7)))";

void skip_spaces_back(std::string_view text, size_t& end) {
    while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
}
// The word that ends at `end`, which is moved to the word's begin.
std::string_view word_back(std::string_view text, size_t& end) {
    skip_spaces_back(text, end);
    const size_t last = end;
    while (end > 0 && is_part_of_word(text[end - 1])) --end;
    return text.substr(end, last - end);
}

// True if `text` ends at the specialisation of a template: struct NAME<.
bool specialises(std::string_view text) {
    size_t end = text.size();
    skip_spaces_back(text, end);
    if (end == 0 || text[end - 1] != '<') return false;
    --end;
    if (word_back(text, end).empty()) return false;
    const std::string_view kind = word_back(text, end);
    return kind == "struct" || kind == "class";
}

// Removes [aicore] and [host, aicore].
void remove_attributes(std::string& text) {
    constexpr std::string_view kWord = "aicore";
    for (size_t at = 0; (at = text.find(kWord, at)) != text.npos; at += kWord.size()) {
        size_t begin = at, end = at + kWord.size();
        const auto is_part = [](char c) { return is_part_of_word(c) || c == ',' || c == ' '; };
        while (begin > 0 && is_part(text[begin - 1])) --begin;
        while (end < text.size() && is_part(text[end])) ++end;
        if (begin == 0 || text[begin - 1] != '[' || end == text.size() || text[end] != ']') continue;
        if (begin > 1 && text[begin - 2] == '[') continue;  // a standard attribute
        std::string words = text.substr(begin, end - begin);
        for (const char* word : {"aicore", "host", ",", " "})
            for (size_t i; (i = words.find(word)) != words.npos;) words.erase(i, std::string_view(word).size());
        if (!words.empty()) continue;
        text.erase(begin - 1, end + 1 - (begin - 1));
        at = begin - 1;
    }
}

}  // namespace

std::string without_device_words(std::string text) {
    for (size_t at = 0; (at = text.find(kGlobal, at)) != text.npos;) {
        const bool special = specialises(std::string_view(text).substr(0, at));
        text.replace(at, kGlobal.size(), special ? kNoSpace : "");
        if (special) at += kNoSpace.size();
    }
    remove_attributes(text);
    return text;
}

namespace {

// Puts a prefix before words of a namespace's blocks.
template <class Chosen>
std::string with_prefix(const std::string& text, std::string_view space, std::string_view prefix,
                        Chosen&& chosen) {
    std::string out;
    size_t done = 0;
    for (size_t at = 0; (at = text.find(space, at)) != text.npos;) {
        size_t open = at + space.size();
        while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open])) != 0) ++open;
        at = open;
        if (open == text.size() || text[open] != '{') continue;
        int depth = 0;
        size_t end = open;
        for (; end < text.size(); ++end) {
            depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
            if (depth == 0) break;
            if (!is_part_of_word(text[end]) || is_part_of_word(text[end - 1])) continue;
            size_t after = end;
            while (after < text.size() && is_part_of_word(text[after])) ++after;
            if (!chosen(std::string_view(text).substr(end, after - end))) continue;
            out.append(text, done, end - done).append(prefix);
            done = end;
        }
        at = end;
    }
    return out.append(text, done);
}

}  // namespace

std::string with_thread_names(std::string text) {
    constexpr std::string_view kThreads = "namespace __asc_simt_vf";
    constexpr std::string_view kCores = "namespace __asc_aicore";
    constexpr std::string_view kAtomic = "asc_atomic_";
    if (text.find(kThreads) == text.npos) return text;
    text = with_prefix(text, kThreads, "ptosim_thread_", [](std::string_view word) {
        return word == "printf" || word == "clock" || word == "__trap";
    });
    // Both are made of the same function of the device's compiler (cce/threads.hpp).
    return with_prefix(text, kCores, "ptosim_core_", [&](std::string_view word) {
        return word.starts_with(kAtomic) && !word.ends_with("_impl");
    });
}

std::string with_apart_overloads(std::string_view text) {
    constexpr std::string_view kMarker = "\n# ";
    std::string out;
    bool apart = false;
    for (size_t at = 0; at < text.size();) {
        size_t end = text.find(kMarker, at + 1);
        if (end == text.npos) end = text.size();
        std::string_view part = text.substr(at, end - at);
        if (part.starts_with(kMarker)) {
            const std::string_view line = part.substr(0, part.find('\n', 1));
            apart = line.find("/simt_api/math_functions") != line.npos;
        }
        // Functions such as floorf are for this source, not for libraries that call the C library's.
        if (apart) out.append("\n#pragma GCC visibility push(hidden)");
        for (size_t word; apart && (word = part.find(kGlobal)) != part.npos;) {
            out.append(part.substr(0, word)).append(kNoSpace);
            part.remove_prefix(word + kGlobal.size());
        }
        out.append(part);
        if (apart) out.append("\n#pragma GCC visibility pop");
        at = end;
    }
    return out;
}

}  // namespace ptosim
