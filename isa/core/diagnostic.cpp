#include "isa/core/diagnostic.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ptosim {

std::string_view name(Category category) {
    switch (category) {
        case Category::kIllegal:
            return "illegal";
        case Category::kUndefined:
            return "undefined";
        case Category::kRace:
            return "race";
        case Category::kSync:
            return "sync";
        case Category::kDeadlock:
            return "deadlock";
        case Category::kUnsupported:
            return "unsupported";
        case Category::kInput:
            return "input";
    }
    return "unknown";
}

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the UTF-8 character that begins there; 0 if that is none, or one that is not shown.
size_t character(const std::string& text, size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) return lead == '\t' || (lead >= 0x20 && lead != 0x7F) ? 1 : 0;
    const size_t length = lead < 0xC2 || lead > 0xF4 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (at + length > text.size()) return 0;
    for (size_t i = 1; i < length; ++i)
        if (!continues(text[at + i])) return 0;
    return length;
}

// The part of a line around a column that fits on a terminal, and a caret below the character there.
std::string excerpt(const std::string& line, uint32_t column) {
    constexpr size_t kMost = 160, kBefore = 60;  // bytes
    size_t begin = column > kMost ? std::min<size_t>(column - 1 - kBefore, line.size()) : 0;
    while (begin > 0 && begin < line.size() && continues(line[begin])) --begin;
    std::string text = begin > 0 ? "..." : "", pad(text.size(), ' ');
    size_t at = begin;
    while (at < line.size() && at < begin + kMost) {
        const size_t length = character(line, at);
        text += length == 0 ? "?" : line.substr(at, length);
        // Tabs are kept, so that the caret is below its character.
        if (at + 1 < column) pad += line[at] == '\t' ? '\t' : ' ';
        at += std::max<size_t>(1, length);
    }
    if (at < line.size()) text += "...";
    return "    " + text + "\n" + (column == 0 ? "" : "    " + pad + "^\n");
}

}  // namespace

std::string calls_text(const Site& site) {
    std::string text, last;
    const auto is_of_site = [&](const SiteCall& call) { return call.instruction == site.instruction; };
    const bool any = std::any_of(site.calls.begin(), site.calls.end(), is_of_site);
    for (const SiteCall& call : site.calls) {
        if (any && !is_of_site(call)) continue;
        const std::string word = call.function + " (" + call.header + ")";
        if (word == last) continue;
        text += (text.empty() ? "" : ", ") + word;
        last = word;
    }
    return text;
}

std::string to_text(const Diagnostic& d, std::string_view severity) {
    std::string text;
    if (!d.file.empty()) {
        text += d.file;
        if (d.location.line != 0) {
            text += ':' + std::to_string(d.location.line);
            if (d.location.column != 0) text += ':' + std::to_string(d.location.column);
        }
        text += ": ";
    }
    text += std::string(severity) + ": " + d.message;
    if (!d.code.empty()) text += " [" + d.code + "]";
    text += "\n";
    if (!d.source_line.empty()) text += excerpt(d.source_line, d.location.column);
    std::string where;
    auto add = [&where](const std::string& word) {
        if (!where.empty()) where += ", ";
        where += word;
    };
    if (!d.core.empty()) add(d.core + (d.pipe.empty() ? "" : "/" + d.pipe));
    if (d.has_cycle) add("cycle " + std::to_string(d.cycle));
    if (!d.instruction.empty())
        add(d.instruction + (d.operand.empty() ? "" : " operand '" + d.operand + "'"));
    if (d.byte_end != 0)
        add("bytes [" + std::to_string(d.byte_begin) + ", " + std::to_string(d.byte_end) + ")");
    if (d.count > 1) add("met " + std::to_string(d.count) + " times");
    if (!where.empty()) text += "  at: " + where + "\n";
    if (!d.calls.empty()) text += "  in: " + calls_text(d) + "\n";
    for (const RelatedSite& site : d.related) {
        text += "  note: " + site.text + "\n";
        if (!site.source_line.empty()) text += excerpt(site.source_line, site.location.column);
        if (!site.calls.empty()) text += "    in " + calls_text(site) + "\n";
    }
    for (const std::string& note : d.notes) text += "  note: " + note + "\n";
    if (!d.hint.empty()) text += "  help: " + d.hint + "\n";
    return text;
}

Diagnostic make_diagnostic(std::string code, Category category, std::string message,
                           std::string hint) {
    Diagnostic d;
    d.code = std::move(code);
    d.category = category;
    d.message = std::move(message);
    d.hint = std::move(hint);
    return d;
}

void fail_input(std::string code, std::string message, std::string hint) {
    throw DiagnosticError(
        make_diagnostic(std::move(code), Category::kInput, std::move(message), std::move(hint)));
}

std::string closest(std::string_view word, const std::vector<std::string_view>& candidates) {
    std::string_view best;
    size_t best_distance = word.size() / 3 + 1;
    for (std::string_view candidate : candidates) {
        // Insertions, deletions, substitutions and swaps of neighbours count one each.
        std::vector<size_t> before, last(candidate.size() + 1), row(candidate.size() + 1);
        std::iota(row.begin(), row.end(), size_t{0});
        for (size_t i = 1; i <= word.size(); ++i) {
            before = std::exchange(last, row);
            row[0] = i;
            for (size_t j = 1; j <= candidate.size(); ++j) {
                const bool same = word[i - 1] == candidate[j - 1];
                row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + (same ? 0 : 1)});
                if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] &&
                    word[i - 2] == candidate[j - 1])
                    row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        if (row.back() < best_distance) {
            best_distance = row.back();
            best = candidate;
        }
    }
    return std::string(best);
}

}  // namespace ptosim
