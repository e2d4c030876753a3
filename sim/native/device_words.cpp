#include "sim/native/device_words.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace ptosim {
namespace {

constexpr std::string_view kGlobal = "__ptosim_gm__";
constexpr std::string_view kNoSpace = "__attribute__((address_space(7)))";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void skip_spaces_back(std::string_view text, size_t& end) {
    while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
}
// The word that ends at `end`, which moves to its begin.
std::string_view word_back(std::string_view text, size_t& end) {
    skip_spaces_back(text, end);
    const size_t last = end;
    while (end > 0 && is_word(text[end - 1])) --end;
    return text.substr(end, last - end);
}

// Whether a template is specialised where `text` ends: struct NAME<.
bool specialises(std::string_view text) {
    size_t end = text.size();
    skip_spaces_back(text, end);
    if (end == 0 || text[end - 1] != '<') return false;
    --end;
    if (word_back(text, end).empty()) return false;
    const std::string_view kind = word_back(text, end);
    return kind == "struct" || kind == "class";
}

}  // namespace

std::string without_device_words(std::string text) {
    for (size_t at = 0; (at = text.find(kGlobal, at)) != text.npos;) {
        const bool special = specialises(std::string_view(text).substr(0, at));
        text.replace(at, kGlobal.size(), special ? kNoSpace : "");
        if (special) at += kNoSpace.size();
    }
    for (size_t at = 0; (at = text.find("[aicore]", at)) != text.npos;) text.replace(at, 8, "");
    return text;
}

}  // namespace ptosim
