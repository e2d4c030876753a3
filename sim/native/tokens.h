// A minimal C++ tokenizer for the rewriter.
#pragma once

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

}  // namespace ptosim
