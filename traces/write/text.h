// Puts texts together quickly: files have millions of short pieces.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace ptosim {

// Writes characters into room that the caller has made.
class Cursor {
 public:
    explicit Cursor(char* at) : at_{at} {}
    [[gnu::always_inline]] inline Cursor& operator<<(std::string_view piece) {
        std::memcpy(at_, piece.data(), piece.size());
        at_ += piece.size();
        return *this;
    }
    Cursor& operator<<(char piece) {
        *at_++ = piece;
        return *this;
    }
    // Most numbers are short: their digits go to where they belong, without a loop.
    [[gnu::always_inline]] inline Cursor& operator<<(uint64_t number) {
        if (number < kShort) [[likely]]
            short_number(static_cast<uint32_t>(number));
        else
            long_number(number);
        return *this;
    }
    Cursor& operator<<(uint32_t number) { return *this << uint64_t{number}; }
    // Picoseconds as microseconds with six digits: "12.345678".
    Cursor& micros(uint64_t picoseconds) {
        const auto rest = static_cast<uint32_t>(picoseconds % 1'000'000);
        *this << picoseconds / 1'000'000;
        *at_++ = '.';
        two(rest / 10'000);
        four(rest % 10'000);
        return *this;
    }
    char* at() const { return at_; }

    static constexpr size_t kMostDigits = 20;

 private:
    static constexpr uint32_t kShort = 100'000'000;
    void two(uint32_t number) {
        std::memcpy(at_, pair(number), 2);
        at_ += 2;
    }
    void four(uint32_t number) {
        two(number / 100);
        two(number % 100);
    }
    // Up to two digits, without zeros before them.
    void head(uint32_t number) {
        std::memcpy(at_, pair(number) + (number < 10), 2);
        at_ += number < 10 ? 1 : 2;
    }
    void short_number(uint32_t number) {
        if (number < 100) return head(number);
        if (number < 10'000) {
            head(number / 100);
            return two(number % 100);
        }
        const uint32_t high = number / 10'000;
        if (high < 100) {
            head(high);
        } else {
            head(high / 100);
            two(high % 100);
        }
        four(number % 10'000);
    }
    [[gnu::noinline]] void long_number(uint64_t number) {
        const uint64_t high = number / kShort;
        *this << high;
        const auto low = static_cast<uint32_t>(number % kShort);
        four(low / 10'000);
        four(low % 10'000);
    }
    static const char* pair(uint64_t number) {
        static constexpr char kPairs[] =
            "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414"
            "2434445464748495051525354555657585960616263646566676869707172737475767778798081828384"
            "858687888990919293949596979899";
        return kPairs + 2 * number;
    }

    char* at_;
};

class Text {
 public:
    Text() = default;
    // Reserves room for `room` characters.
    explicit Text(size_t room) : text_(room, '\0') {}
    // For many pieces at once: put at most `most` characters there before put().
    Cursor begin(size_t most) { return Cursor(room(most)); }
    void put(const Cursor& cursor) { size_ = static_cast<size_t>(cursor.at() - text_.data()); }

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
        put(begin(Cursor::kMostDigits) << number);
        return *this;
    }
    Text& operator<<(uint32_t number) { return *this << uint64_t{number}; }
    Text& micros(uint64_t picoseconds) {
        put(begin(Cursor::kMostDigits + 7).micros(picoseconds));
        return *this;
    }
    std::string_view view() const { return {text_.data(), size_}; }
    void clear() { size_ = 0; }
    // All of it; nothing is left.
    std::string take() {
        text_.resize(std::exchange(size_, 0));
        return std::move(text_);
    }

 private:
    // Place for `more` characters.
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
