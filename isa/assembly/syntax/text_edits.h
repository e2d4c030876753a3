// Pieces of text to be inserted, with their positions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/assembly/syntax/ast.h"

namespace ptosim::assembly {

class TextEdits {
 public:
    explicit TextEdits(std::string_view text) : text_{text} {}

    // A separate line, indented like the operation. `of`: the line that it is from in Result::lines, instead of that of
    // its position.
    void line_before(const Operation& op, const std::string& line, uint32_t of = 0);
    void line_behind(const Operation& op, const std::string& line, uint32_t of = 0);
    // Bytes [begin, end) of the text.
    void replace(size_t begin, size_t end, std::string text, uint32_t of = 0);
    void add(size_t at, std::string text, uint32_t of = 0) { replace(at, at, std::move(text), of); }

    struct Result {
        std::string text;
        std::vector<uint32_t> lines;  // of each of its lines: the line that it is from
    };
    // Pieces at one position keep the order in which they were added.
    Result applied() const;

 private:
    struct Edit {
        size_t begin = 0, end = 0;
        std::string text;
        uint32_t of = 0;
    };

    // Start of the line that contains `op`.
    size_t line_of(const Operation& op) const;
    std::string indent(const Operation& op) const;

    std::string_view text_;
    std::vector<Edit> edits_;
};

// `prefix`, followed by as many "_" as needed so that no value in the text begins with it.
std::string unused_prefix(std::string_view text, std::string prefix);

}  // namespace ptosim::assembly
