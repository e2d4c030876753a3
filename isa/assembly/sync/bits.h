// A set of small numbers, as the walk through a function keeps them (walk.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptosim::assembly::sync {

class Bits {
 public:
    explicit Bits(size_t size = 0) : words_((size + 63) / 64) {}
    bool test(size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
    void set(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
    void reset(size_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }
    void set_range(size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) set(i);
    }
    void clear() { std::fill(words_.begin(), words_.end(), 0); }
    // The other may be shorter: its missing bits are 0.
    Bits& operator|=(const Bits& other) {
        for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
        return *this;
    }
    Bits& operator&=(const Bits& other) {
        for (size_t i = 0; i < words_.size(); ++i)
            words_[i] &= i < other.words_.size() ? other.words_[i] : 0;
        return *this;
    }
    Bits& operator-=(const Bits& other) {
        for (size_t i = 0; i < other.words_.size(); ++i) words_[i] &= ~other.words_[i];
        return *this;
    }
    bool meets(const Bits& other) const {
        for (size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i)
            if ((words_[i] & other.words_[i]) != 0) return true;
        return false;
    }
    template <typename Visit>
    void each(Visit&& visit) const {
        for (size_t w = 0; w < words_.size(); ++w)
            for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
                visit(w * 64 + static_cast<size_t>(__builtin_ctzll(rest)));
    }
    friend bool operator==(const Bits&, const Bits&) = default;

 private:
    std::vector<uint64_t> words_;
};

}  // namespace ptosim::assembly::sync
