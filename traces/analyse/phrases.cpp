#include "traces/analyse/phrases.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace ptosim {

namespace {

struct Row {
    std::string_view tiles;
    std::string_view ascend_c;  // empty: the same
};
// By Phrase.
constexpr std::array<Row, static_cast<size_t>(Phrase::kCount)> kPhrases{{
    {"Use more blocks", "Use more blocks (first argument of <<<...>>>)"},
    {"Add a slot to the buffer that {pipe} fills", "Add a buffer to queue {queue} (BUFFER_NUM of InitBuffer)"},
    {"Add a slot to the buffer that {pipe} fills",
     "Add a slot to the buffer that {pipe} fills in {call} (for a Matmul: raise depthA1 and depthB1 of the tiling)"},
    {"Add a slot to each buffer of {core}", "Add a buffer to each queue of {core} (BUFFER_NUM of InitBuffer)"},
    {"Set flag {flag} earlier, after {other}", "Call {call} earlier (flag {flag}), after {other}"},
    {"Wait for flag {flag} later, before {other}", "Call {call} later (flag {flag}), before {other}"},
    {"Remove flag {flag}", "Remove {call}, which waits for flag {flag}"},
    {"Use one flag per slot instead of flag {flag}",
     "Use one event per buffer instead of flag {flag}, for which {call} waits"},
    {"Remove the barrier, or replace it with flags",
     "Remove {call}, or replace it with SetFlag and WaitFlag"},
    {"Move longer rows", "Move longer rows (blockLen of {call})"},
    {"Align rows to 128 bytes in global memory",
     "Align rows to 128 bytes in global memory (DataCopyPad copies rows of any length)"},
    {"Use larger tiles", "Increase the tile length, so that each {call} moves more"},
    {"Reduce {pipe} work on {core}", ""},
    {"Reduce {pipe} work on {core}",
     "Reduce {pipe} work on {core} with another tiling (baseM, baseN, baseK, and the L1 depths)"},
    {"Use fewer scalar operations",
     "Use fewer scalar operations (no GetValue or SetValue in loops; more data per call)"},
}};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Nothing if a word is missing.
std::optional<std::string> filled(std::string_view text, std::initializer_list<PhraseWord> words) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        if (text[at] != '{') {
            result += text[at++];
            continue;
        }
        const size_t end = text.find('}', at);
        const std::string_view name = text.substr(at + 1, end - at - 1);
        const auto word = std::find_if(words.begin(), words.end(),
                                       [name](const PhraseWord& w) { return w.first == name; });
        if (word == words.end() || word->second.empty()) return std::nullopt;
        result += word->second;
        at = end + 1;
    }
    return result;
}

}  // namespace

Library library_of(const Sources& sources) {
    // Headers of the library's own are named so: kernel_operator_data_copy_impl.h, kernel_tpipe.h.
    return sources.calls_into("kernel_") ? Library::kAscendC : Library::kNone;
}

std::string phrase(Phrase phrase, Library library, std::initializer_list<PhraseWord> words) {
    const Row& row = kPhrases[static_cast<size_t>(phrase)];
    if (library == Library::kAscendC && !row.ascend_c.empty())
        if (auto text = filled(row.ascend_c, words)) return *text;
    return filled(row.tiles, words).value_or(std::string(row.tiles));
}

std::string object_of_call(std::string_view line, std::string_view function) {
    for (size_t at = line.find(function); at != std::string_view::npos;
         at = line.find(function, at + 1)) {
        size_t end = at;
        if (end > 0 && line[end - 1] == '.')
            end -= 1;
        else if (end > 1 && line.substr(end - 2, 2) == "->")
            end -= 2;
        else
            continue;
        size_t begin = end;
        while (begin > 0 && is_name(line[begin - 1])) --begin;
        if (begin < end) return std::string(line.substr(begin, end - begin));
    }
    return {};
}

}  // namespace ptosim
