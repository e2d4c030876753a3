#include "isa/assembly/syntax/text_edits.h"

#include <algorithm>

namespace ptosim::assembly {

namespace {

bool blank(std::string_view text) {
    return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

void TextEdits::line_before(const Operation& op, const std::string& line, uint32_t of) {
    const size_t begin = line_of(op);
    if (blank(text_.substr(begin, op.begin - begin)))
        add(begin, indent(op) + line + "\n", of);
    else
        add(op.begin, "\n" + indent(op) + line + "\n" + indent(op), of);
}

void TextEdits::line_behind(const Operation& op, const std::string& line, uint32_t of) {
    size_t end = text_.find('\n', op.end);
    if (end == std::string_view::npos) end = text_.size();
    const std::string_view rest = text_.substr(op.end, end - op.end);
    const size_t mark = rest.find("//");
    if (end < text_.size() && blank(rest.substr(0, mark)))
        add(end + 1, indent(op) + line + "\n", of);
    else
        add(op.end, "\n" + indent(op) + line + "\n" + indent(op), of);
}

void TextEdits::replace(size_t begin, size_t end, std::string text, uint32_t of) {
    edits_.push_back({begin, end, std::move(text), of});
}

TextEdits::Result TextEdits::applied() const {
    std::vector<const Edit*> sorted;
    for (const Edit& edit : edits_) sorted.push_back(&edit);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Edit* a, const Edit* b) { return a->begin < b->begin; });
    Result result;
    size_t at = 0;
    uint32_t line = 1;
    result.lines = {1};
    const auto put = [&](std::string_view piece, bool original) {
        for (const char c : piece) {
            if (c != '\n') continue;
            if (original) ++line;
            result.lines.push_back(line);
        }
        result.text += piece;
    };
    // The lines that such a piece consists of: not the one in whose middle it begins or ends.
    const auto put_lines = [&](const Edit& edit) {
        const bool begins_line = result.text.empty() || result.text.back() == '\n';
        const size_t first = result.lines.size() - (begins_line ? 1 : 0);
        put(edit.text, false);
        if (edit.of == 0) return;
        std::fill(result.lines.begin() + static_cast<ptrdiff_t>(first), result.lines.end() - 1,
                  edit.of);
    };
    for (const Edit* edit : sorted) {
        put(text_.substr(at, edit->begin - at), true);
        put_lines(*edit);
        at = std::max(at, edit->end);
    }
    put(text_.substr(at), true);
    return result;
}

size_t TextEdits::line_of(const Operation& op) const {
    if (op.begin == 0) return 0;
    const size_t newline = text_.rfind('\n', op.begin - 1);
    return newline == std::string_view::npos ? 0 : newline + 1;
}

std::string TextEdits::indent(const Operation& op) const {
    const size_t begin = line_of(op);
    const size_t first = std::min(text_.find_first_not_of(" \t", begin), text_.size());
    return std::string(text_.substr(begin, std::min(first, size_t{op.begin}) - begin));
}

std::string unused_prefix(std::string_view text, std::string prefix) {
    while (text.find("%" + prefix) != std::string_view::npos) prefix += "_";
    return prefix;
}

}  // namespace ptosim::assembly
