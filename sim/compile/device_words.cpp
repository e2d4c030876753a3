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

}  // namespace ptosim
