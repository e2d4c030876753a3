#include "sim/compile/tokens.h"

#include <algorithm>

namespace ptosim {
namespace {

bool is_word_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_word_start(c) || is_digit(c); }

class Tokenizer {
 public:
    explicit Tokenizer(std::string_view source) : source_{source} {}

    std::vector<Token> run() {
        tokens_.reserve(source_.size() / 4);
        bool line_start = true;
        while (at_ < source_.size()) {
            const char c = source_[at_];
            if (c == '\n') {
                line_start = true;
                ++at_;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
                ++at_;
            } else if (c == '\\' && next() == '\n') {
                at_ += 2;
            } else if (c == '/' && next() == '/') {
                skip_line();
            } else if (c == '/' && next() == '*') {
                at_ = std::min(source_.find("*/", at_ + 2), source_.size() - 2) + 2;
            } else if (c == '#' && line_start) {
                const size_t begin = at_;
                skip_line();
                add(Token::Kind::kDirective, begin);
            } else {
                line_start = false;
                token(c);
            }
        }
        return std::move(tokens_);
    }

 private:
    char next() const { return at_ + 1 < source_.size() ? source_[at_ + 1] : '\0'; }
    void add(Token::Kind kind, size_t begin) { tokens_.push_back({kind, begin, at_}); }

    // Skips to the end of the line and of its continuations.
    void skip_line() {
        while (at_ < source_.size() && source_[at_] != '\n') {
            if (source_[at_] == '\\' && next() == '\n') ++at_;
            ++at_;
        }
    }

    void token(char c) {
        const size_t begin = at_;
        if (is_word_start(c)) {
            while (at_ < source_.size() && is_word(source_[at_])) ++at_;
            if (at_ < source_.size() && source_[at_] == '"' && source_[at_ - 1] == 'R' &&
                is_raw_prefix(source_.substr(begin, at_ - begin))) {
                raw_string();
                return add(Token::Kind::kText, begin);
            }
            return add(Token::Kind::kWord, begin);
        }
        if (is_digit(c) || (c == '.' && is_digit(next()))) {
            number();
            return add(Token::Kind::kNumber, begin);
        }
        if (c == '"' || c == '\'') {
            quoted(c);
            return add(Token::Kind::kText, begin);
        }
        ++at_;
        add(Token::Kind::kSign, begin);
    }

    static bool is_raw_prefix(std::string_view word) {
        return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
    }

    void raw_string() {
        const size_t open = source_.find('(', at_);
        if (open == source_.npos) {
            at_ = source_.size();
            return;
        }
        const std::string close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
        const size_t end = source_.find(close, open);
        at_ = end == source_.npos ? source_.size() : end + close.size();
    }

    // Digits, letters, dots, exponents with a sign, and ' between digits.
    void number() {
        while (at_ < source_.size()) {
            const char c = source_[at_];
            const char before = at_ > 0 ? source_[at_ - 1] : ' ';
            const bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
            const bool hex_e = (before == 'e' || before == 'E') && is_hexadecimal_;
            if (is_word(c) || c == '.' || (c == '\'' && is_word(next())) ||
                ((c == '+' || c == '-') && exponent && !hex_e)) {
                if (c == 'x' || c == 'X') is_hexadecimal_ = true;
                ++at_;
            } else {
                break;
            }
        }
        is_hexadecimal_ = false;
    }

    void quoted(char quote) {
        ++at_;
        while (at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n') {
            if (source_[at_] == '\\') ++at_;
            ++at_;
        }
        at_ = std::min(at_ + 1, source_.size());
    }

    std::string_view source_;
    size_t at_ = 0;
    bool is_hexadecimal_ = false;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) { return Tokenizer(source).run(); }

}  // namespace ptosim
