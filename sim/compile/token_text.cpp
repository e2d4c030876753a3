#include "sim/compile/token_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ptosim {
namespace {

using Kind = Token::Kind;
using SourceLine = TokenText::SourceLine;

// Parses # 12 "file" and #line 12 "file".
std::optional<SourceLine> marker(std::string_view directive) {
    directive.remove_prefix(1);
    const auto skip = [&] {
        while (!directive.empty() && (directive[0] == ' ' || directive[0] == '\t'))
            directive.remove_prefix(1);
    };
    skip();
    if (directive.starts_with("line")) directive.remove_prefix(4);
    skip();
    SourceLine source_line;
    const auto [end, error] =
        std::from_chars(directive.data(), directive.data() + directive.size(), source_line.line);
    if (error != std::errc()) return std::nullopt;
    directive.remove_prefix(static_cast<size_t>(end - directive.data()));
    const size_t open = directive.find('"');
    const size_t close = directive.find('"', open + 1);
    if (open == directive.npos || close == directive.npos) return std::nullopt;
    source_line.file = directive.substr(open + 1, close - open - 1);
    return source_line;
}

}  // namespace

bool TokenText::is_triple(size_t i, char sign) const {
    return i + 2 < tokens_.size() && is(i, sign) && is(i + 1, sign) && is(i + 2, sign) &&
           tokens_[i + 1].begin == tokens_[i].end && tokens_[i + 2].begin == tokens_[i + 1].end;
}

size_t TokenText::match_back(size_t i, char open, char close) const {
    int depth = 0;
    for (;; --i) {
        if (is(i, close)) ++depth;
        if (is(i, open) && --depth == 0) return i;
        if (i == 0) return kNone;
    }
}

size_t TokenText::match_back_angle(size_t i) const {
    int depth = 0;
    for (;; --i) {
        if (is(i, ')'))
            i = match_back(i, '(', ')');
        else if (is(i, ']'))
            i = match_back(i, '[', ']');
        else if (is(i, '}'))
            i = match_back(i, '{', '}');
        else if (is(i, ';'))
            return kNone;
        else if (is(i, '>') && !(i > 0 && is(i - 1, '-') && tokens_[i - 1].end == tokens_[i].begin))
            ++depth;
        else if (is(i, '<') && --depth == 0)
            return i;
        if (i == kNone || i == 0) return kNone;
    }
}

size_t TokenText::after_bracket(size_t i) const {
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
        if (is(i, '(') || is(i, '[') || is(i, '{')) ++depth;
        if ((is(i, ')') || is(i, ']') || is(i, '}')) && --depth == 0) return i + 1;
    }
    return kNone;
}

std::string TokenText::without_directives(size_t first, size_t last) const {
    std::string result;
    for (size_t i = first; i < last; ++i) {
        if (tokens_[i].kind == Kind::kDirective) continue;
        if (i > first && tokens_[i].begin != tokens_[i - 1].end) result += ' ';
        result += text(i);
    }
    return result;
}

SourceLine TokenText::source_line(size_t position) const {
    SourceLine result{file_, 1};
    size_t from = 0;
    auto after = std::upper_bound(tokens_.begin(), tokens_.end(), position,
                                  [](size_t at, const Token& token) { return at < token.begin; });
    while (after != tokens_.begin()) {
        --after;
        if (after->kind != Kind::kDirective) continue;
        if (const auto marked = marker(source_.substr(after->begin, after->end - after->begin))) {
            result = *marked;
            from = std::min(after->end + 1, source_.size());
            break;
        }
    }
    result.line += static_cast<uint32_t>(
        std::count(source_.begin() + static_cast<ptrdiff_t>(from),
                   source_.begin() + static_cast<ptrdiff_t>(std::max(from, position)), '\n'));
    return result;
}

}  // namespace ptosim
