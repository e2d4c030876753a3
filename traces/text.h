// Puts texts together quickly: files have millions of short pieces.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ptosim {

class Text {
 public:
    // Inline even where there are many: most pieces are literals, copied in a few instructions.
    [[gnu::always_inline]] inline Text& operator<<(std::string_view piece) {
        std::memcpy(room(piece.size()), piece.data(), piece.size());
        size_ += piece.size();
        return *this;
    }
    Text& operator<<(char piece) {
        *room(1) = piece;
        ++size_;
        return *this;
    }
    Text& operator<<(uint64_t number) {
        char* const begin = room(kMostDigits);
        size_ += static_cast<size_t>(std::to_chars(begin, begin + kMostDigits, number).ptr - begin);
        return *this;
    }
    Text& operator<<(uint32_t number) { return *this << uint64_t{number}; }
    // Picoseconds as microseconds with six digits: "12.345678".
    Text& micros(uint64_t picoseconds) {
        *this << picoseconds / 1'000'000 << '.';
        auto rest = static_cast<uint32_t>(picoseconds % 1'000'000);
        char* const digits = room(6);
        for (size_t i = 6; i-- > 0; rest /= 10) digits[i] = static_cast<char>('0' + rest % 10);
        size_ += 6;
        return *this;
    }
    std::string_view view() const { return {text_.data(), size_}; }
    void clear() { size_ = 0; }

 private:
    static constexpr size_t kMostDigits = 20;

    // Where so many more characters go.
    char* room(size_t more) {
        if (size_ + more > text_.size()) [[unlikely]]
            grow(more);
        return text_.data() + size_;
    }
    [[gnu::noinline]] void grow(size_t more) { text_.resize(2 * (size_ + more)); }

    std::string text_;  // longer than what has been put into it
    size_t size_ = 0;
};

}  // namespace ptosim
