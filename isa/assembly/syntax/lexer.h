// The tokens of `.pto` text (MLIR's lexical rules, read leniently).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim::assembly {

enum class TokenKind : uint8_t {
    kEnd,
    kInvalid,     // a problem is recorded for it
    kValue,       // %name, %name#1
    kSymbol,      // @name, @"name"
    kAttribute,   // #alias, #pto.layout<nd>, with its parameters
    kType,        // !alias, !pto.ptr<f32>, with its parameters
    kBlock,       // ^bb0
    kWord,        // ins, pto.tadd, arith.addi, true
    kParametric,  // a word directly followed by <...>: memref<4xf32>, array<i32: 1, 0>
    kAngle,       // a free <...>: <PIPE_V>, <vec, 32x32xf32>
    kInteger,     // 12, -1, 0x7F800000
    kFloat,       // 1.0, -1.5e-3
    kString,      // "..."
    kArrow,       // ->
    kLeftParen,
    kRightParen,
    kLeftBracket,
    kRightBracket,
    kLeftBrace,
    kRightBrace,
    kLess,     // only before '{': the properties of MLIR's generic form
    kGreater,  // only after the '}' of such properties
    kComma,
    kColon,
    kDoubleColon,
    kEqual,
    kOther,  // ? * + - and the like, which no rule of ours takes
};

struct Token {
    uint32_t begin = 0;
    uint32_t size = 0;
    TokenKind kind = TokenKind::kEnd;
    bool starts_line = false;  // first token of its line
};

// Problem of a piece of text that is not a token.
struct LexicalProblem {
    uint32_t offset = 0;
    std::string message;
    std::string hint;
};

// Start positions of a text's lines.
class LineIndex {
 public:
    explicit LineIndex(std::string_view text);
    // Line and column (in bytes) of an offset. Columns beyond 65535 are given as 65535.
    SourceLocation locate(uint32_t offset);
    // The text of line `line` (1 is the first) without its end.
    std::string_view line(uint32_t line) const;

 private:
    std::string_view text_;
    std::vector<uint32_t> starts_;
    size_t hint_ = 0;  // the line found last: a parser asks in increasing order of offsets
};

struct TokenList {
    std::vector<Token> tokens;  // ends with one kEnd
    std::vector<LexicalProblem> problems;
};

// Any bytes give tokens; invalid text becomes kInvalid with a problem; after kMaxProblems the rest of the text is not
// read. Comments (`//` to the end of the line) are dropped. `text` must be smaller than 4 GiB.
inline constexpr size_t kMaxProblems = 64;
TokenList tokenize(std::string_view text);

// Offset just after the bracket that closes the '<' at `begin`, or npos. Skips strings, `->` and comments. Does not
// recurse.
size_t end_of_angle(std::string_view text, size_t begin);

}  // namespace ptosim::assembly
