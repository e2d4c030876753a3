// Preprocessed C++ text by tokens: matching brackets, and original lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/compile/tokens.h"

namespace ptosim {

class TokenText {
 public:
    static constexpr size_t kNone = static_cast<size_t>(-1);

    // `file` is the origin of the text until a directive changes it.
    TokenText(std::string_view source, std::string file)
        : source_{source}, file_{std::move(file)}, tokens_{tokenize(source)} {}

    size_t size() const { return tokens_.size(); }
    const Token& token(size_t i) const { return tokens_[i]; }
    std::string_view source() const { return source_; }
    std::string_view text(size_t i) const {
        return source_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
    }
    std::string_view range(size_t first, size_t last) const {  // tokens [first, last)
        return source_.substr(tokens_[first].begin, tokens_[last - 1].end - tokens_[first].begin);
    }
    bool is(size_t i, char sign) const {
        return i < tokens_.size() && tokens_[i].kind == Token::Kind::kSign &&
               source_[tokens_[i].begin] == sign;
    }
    // True for three signs without spaces between them, such as <<<.
    bool is_triple(size_t i, char sign) const;
    bool is_open(size_t i) const { return is(i, '(') || is(i, '[') || is(i, '{') || is(i, '<'); }
    bool is_close(size_t i) const { return is(i, ')') || is(i, ']') || is(i, '}') || is(i, '>'); }

    // The token that opens the bracket closed by `i`.
    size_t match_back(size_t i, char open, char close) const;
    // The same for template arguments: angles outside of parentheses pair up.
    size_t match_back_angle(size_t i) const;
    // The token after the one that closes the bracket at `i`.
    size_t after_bracket(size_t i) const;
    // Tokens [first, last) on one line.
    std::string without_directives(size_t first, size_t last) const;

    struct SourceLine {
        std::string file;
        uint32_t line = 1;
    };
    // The file and line of a position, according to the directives before it.
    SourceLine source_line(size_t position) const;

 protected:
    std::string_view source_;
    std::string file_;
    std::vector<Token> tokens_;
};

}  // namespace ptosim
