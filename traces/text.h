// Puts texts together quickly: files have millions of short pieces.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptosim {

class Text {
 public:
    Text& operator<<(std::string_view piece) {
        text_ += piece;
        return *this;
    }
    Text& operator<<(char piece) {
        text_ += piece;
        return *this;
    }
    Text& operator<<(uint64_t number) {
        std::array<char, 20> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        text_.append(digits.data(), end);
        return *this;
    }
    Text& operator<<(uint32_t number) { return *this << uint64_t{number}; }
    // Picoseconds as microseconds with six digits: "12.345678".
    Text& micros(uint64_t picoseconds) {
        *this << picoseconds / 1'000'000 << '.';
        uint64_t rest = picoseconds % 1'000'000;
        std::array<char, 6> digits;
        for (size_t i = digits.size(); i-- > 0; rest /= 10)
            digits[i] = static_cast<char>('0' + rest % 10);
        text_.append(digits.data(), digits.size());
        return *this;
    }
    std::string_view view() const { return text_; }
    void clear() { text_.clear(); }

 private:
    std::string text_;
};

}  // namespace ptosim
