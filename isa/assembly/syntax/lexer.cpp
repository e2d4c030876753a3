#include "isa/assembly/syntax/lexer.h"

#include <algorithm>
#include <cstdio>

#include "isa/assembly/syntax/characters.h"

namespace ptosim::assembly {

namespace {

bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '$' || c == '.'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Strings end at the end of their line, so that a forgotten quote costs one line only.
size_t end_of_string(std::string_view text, size_t begin) {
    for (size_t i = begin + 1; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] != '\n') {
            ++i;
        } else if (text[i] == '"') {
            return i + 1;
        } else if (text[i] == '\n') {
            break;
        }
    }
    return std::string_view::npos;
}

class Lexer {
 public:
    explicit Lexer(std::string_view text) : text_{text} {
        if (text.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
        // Corpora have a token every five to six bytes.
        out_.tokens.reserve(text.size() / 5 + 16);
    }

    TokenList run() {
        while (skip_blank()) lex_one();
        emit(TokenKind::kEnd, text_.size());
        return std::move(out_);
    }

 private:
    char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    bool skip_blank() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                starts_line_ = true;
                ++at_;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
                ++at_;
            } else if (c == '/' && at(at_ + 1) == '/') {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else {
                return true;
            }
        }
        return false;
    }

    void emit(TokenKind kind, size_t end) {
        out_.tokens.push_back(
            {static_cast<uint32_t>(at_), static_cast<uint32_t>(end - at_), kind, starts_line_});
        starts_line_ = false;
        at_ = end;
    }

    void invalid(size_t end, std::string message, std::string hint = {}) {
        out_.problems.push_back({static_cast<uint32_t>(at_), std::move(message), std::move(hint)});
        emit(TokenKind::kInvalid, end);
        // Also keeps the search for missing brackets, each to the end of the text, from adding up.
        if (out_.problems.size() == kMaxProblems) at_ = text_.size();
    }

    size_t end_of_name(size_t i, bool dash) const {
        while (i < text_.size() && (is_word(text_[i]) || (dash && text_[i] == '-'))) ++i;
        return i;
    }

    void lex_one() {
        const char c = text_[at_];
        if (is_letter(c)) return lex_word();
        if (is_digit(c) || (c == '-' && is_digit(at(at_ + 1)))) return lex_number();
        switch (c) {
            case '%':
                return lex_value();
            case '@':
                return lex_symbol();
            case '#':
                return lex_dialect(TokenKind::kAttribute, "attribute");
            case '!':
                return lex_dialect(TokenKind::kType, "type");
            case '^':
                return lex_named(TokenKind::kBlock, "a block name after '^'");
            case '"':
                return lex_string();
            case '<':
                return lex_angle();
            case '>':
                return emit(TokenKind::kGreater, at_ + 1);
            case '(':
                return emit(TokenKind::kLeftParen, at_ + 1);
            case ')':
                return emit(TokenKind::kRightParen, at_ + 1);
            case '[':
                return emit(TokenKind::kLeftBracket, at_ + 1);
            case ']':
                return emit(TokenKind::kRightBracket, at_ + 1);
            case '{':
                return emit(TokenKind::kLeftBrace, at_ + 1);
            case '}':
                return emit(TokenKind::kRightBrace, at_ + 1);
            case ',':
                return emit(TokenKind::kComma, at_ + 1);
            case '=':
                return emit(TokenKind::kEqual, at_ + 1);
            case ':':
                if (at(at_ + 1) == ':') return emit(TokenKind::kDoubleColon, at_ + 2);
                return emit(TokenKind::kColon, at_ + 1);
            case '-':
                if (at(at_ + 1) == '>') return emit(TokenKind::kArrow, at_ + 2);
                return emit(TokenKind::kOther, at_ + 1);
            case '?':
            case '*':
            case '+':
                return emit(TokenKind::kOther, at_ + 1);
            default:
                return lex_unknown();
        }
    }

    void lex_unknown() {
        // Reports one problem for a run of foreign bytes, because a binary file has thousands.
        size_t end = at_ + 1;
        while (end < text_.size() && static_cast<unsigned char>(text_[end]) >= 0x80) ++end;
        const unsigned char c = static_cast<unsigned char>(text_[at_]);
        char shown[8];
        std::snprintf(shown, sizeof shown, c >= 0x21 && c < 0x7f ? "%c" : "\\x%02x", c);
        invalid(end, std::string("unexpected character '") + shown + "'");
    }

    void lex_word() {
        size_t end = end_of_name(at_, false);
        // `pto.device-spec`: a dash inside a word, not the one of `->`.
        while (at(end) == '-' && is_letter(at(end + 1))) end = end_of_name(end + 1, false);
        const std::string_view word = text_.substr(at_, end - at_);
        if (at(end) == '<' && word.find('.') == std::string_view::npos)
            return lex_parameters(TokenKind::kParametric, end);
        emit(TokenKind::kWord, end);
    }

    void lex_number() {
        size_t end = at_ + (text_[at_] == '-' ? 1 : 0);
        bool floating = false;
        if (at(end) == '0' && (at(end + 1) == 'x' || at(end + 1) == 'X') && is_hex(at(end + 2))) {
            end += 2;
            while (is_hex(at(end))) ++end;
        } else {
            while (is_digit(at(end))) ++end;
            if (at(end) == '.' && !is_letter(at(end + 1))) {
                floating = true;
                ++end;
                while (is_digit(at(end))) ++end;
            }
            const size_t sign = at(end + 1) == '-' || at(end + 1) == '+' ? 1 : 0;
            if ((at(end) == 'e' || at(end) == 'E') && is_digit(at(end + 1 + sign))) {
                floating = true;
                end += 1 + sign;
                while (is_digit(at(end))) ++end;
            }
        }
        if (is_word(at(end))) {  // 32x64, 3abc: shapes stand in <...> only
            const size_t rest = end_of_name(end, false);
            return invalid(
                rest, "malformed number '" +
                          std::string(text_.substr(at_, std::min<size_t>(rest - at_, 32))) + "'");
        }
        emit(floating ? TokenKind::kFloat : TokenKind::kInteger, end);
    }

    void lex_named(TokenKind kind, const char* wanted) {
        const size_t end = end_of_name(at_ + 1, true);
        if (end == at_ + 1) return invalid(end, std::string("expected ") + wanted);
        emit(kind, end);
    }

    void lex_value() {
        size_t end = at_ + 1;
        while (end < text_.size() &&
               (is_word(text_[end]) || (text_[end] == '-' && at(end + 1) != '>')))
            ++end;
        if (end == at_ + 1) return invalid(end, "expected a name after '%'");
        if (at(end) == '#' && is_digit(at(end + 1))) {
            ++end;
            while (is_digit(at(end))) ++end;
        }
        emit(TokenKind::kValue, end);
    }

    void lex_symbol() {
        if (at(at_ + 1) == '"') {
            const size_t end = end_of_string(text_, at_ + 1);
            if (end == std::string_view::npos) return unclosed_string();
            return emit(TokenKind::kSymbol, end);
        }
        lex_named(TokenKind::kSymbol, "a symbol name after '@'");
    }

    void lex_dialect(TokenKind kind, const char* what) {
        const size_t end = end_of_name(at_ + 1, false);
        if (end == at_ + 1)
            return invalid(end, std::string("expected the name of a") +
                                    (what[0] == 'a' ? "n " : " ") + what + " after '" + text_[at_] +
                                    "'");
        if (at(end) == '<') return lex_parameters(kind, end);
        emit(kind, end);
    }

    // `open` is the offset of '<'.
    void lex_parameters(TokenKind kind, size_t open) {
        const size_t end = end_of_angle(text_, open);
        if (end != std::string_view::npos) return emit(kind, end);
        unclosed_angle(open);
    }

    void lex_angle() {
        if (at(at_ + 1) == '{') return emit(TokenKind::kLess, at_ + 1);
        lex_parameters(TokenKind::kAngle, at_);
    }

    void unclosed_angle(size_t open) {
        // The rest of the line belongs to the broken parameters; the next line starts afresh.
        at_ = open;
        const size_t end = std::min(text_.find('\n', open), text_.size());
        invalid(end, "this '<' is never closed",
                "every '<' of a type or an attribute needs its '>'");
    }

    void lex_string() {
        const size_t end = end_of_string(text_, at_);
        if (end == std::string_view::npos) return unclosed_string();
        emit(TokenKind::kString, end);
    }

    void unclosed_string() {
        invalid(std::min(text_.find('\n', at_), text_.size()), "this string is never closed",
                "close the string with '\"' on the same line");
    }

    std::string_view text_;
    size_t at_ = 0;
    bool starts_line_ = true;
    TokenList out_;
};

}  // namespace

size_t end_of_angle(std::string_view text, size_t begin) {
    size_t depth = 0;
    for (size_t i = begin; i < text.size(); ++i) {
        switch (text[i]) {
            case '<':
                ++depth;
                break;
            case '>':
                if (--depth == 0) return i + 1;
                break;
            case '-':
                if (i + 1 < text.size() && text[i + 1] == '>') ++i;
                break;
            case '"':
                i = end_of_string(text, i);
                if (i == std::string_view::npos) return i;
                --i;
                break;
            case '/':
                if (i + 1 < text.size() && text[i + 1] == '/')
                    i = std::min(text.find('\n', i), text.size());
                break;
            // No parameter list holds these: the bracket was forgotten before them. `%` occurs
            // in the launch dimensions <<<%x, %y, %z>>> only.
            case '%':
                if (depth < 3) return std::string_view::npos;
                break;
            default:
                break;
        }
    }
    return std::string_view::npos;
}

TokenList tokenize(std::string_view text) { return Lexer(text).run(); }

LineIndex::LineIndex(std::string_view text) : text_{text} {
    starts_.push_back(0);
    for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
        starts_.push_back(static_cast<uint32_t>(at + 1));
}

SourceLocation LineIndex::locate(uint32_t offset) {
    const auto holds = [&](size_t i) {
        return starts_[i] <= offset && (i + 1 == starts_.size() || offset < starts_[i + 1]);
    };
    if (!holds(hint_)) {
        if (hint_ + 1 < starts_.size() && holds(hint_ + 1))
            ++hint_;
        else
            hint_ = std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin() - 1;
    }
    SourceLocation location;
    location.line = static_cast<uint32_t>(hint_ + 1);
    location.column = static_cast<uint16_t>(std::min<uint32_t>(offset - starts_[hint_] + 1, 65535));
    return location;
}

std::string_view LineIndex::line(uint32_t line) const {
    if (line == 0 || line > starts_.size()) return {};
    const size_t begin = starts_[line - 1];
    size_t end = line < starts_.size() ? starts_[line] - 1 : text_.size();
    if (end > begin && text_[end - 1] == '\r') --end;
    return text_.substr(begin, end - begin);
}

}  // namespace ptosim::assembly
