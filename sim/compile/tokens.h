// A minimal C++ tokenizer for the rewriter.
#pragma once

#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptosim {

struct Token {
    enum class Kind : uint8_t { kWord, kNumber, kText, kSign, kDirective };
    Kind kind = Kind::kSign;  // kSign: one character; kText: a string or character literal
    size_t begin = 0, end = 0;
};

// The tokens of a source. Comments are dropped; a directive with its continued lines is one token.
std::vector<Token> tokenize(std::string_view source);

// Letters, digits and underscores.
inline bool is_part_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace ptosim
