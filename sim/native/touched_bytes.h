// The bytes that the threads of a block access, for checkers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "isa/core/thread_effects.h"

namespace ptosim {

class TouchedBytes {
 public:
    void read(uint64_t begin, uint64_t size) { mark(begin, size, Use::kRead); }
    void write(uint64_t begin, uint64_t size) { mark(begin, size, Use::kWrite); }
    void change_atomically(uint64_t begin, uint64_t size) { mark(begin, size, Use::kAtomic); }
    // Appends ranges of bytes of one use: bytes count as read if they were before they were written, and as atomic if
    // nothing else was done to them.
    void append(std::vector<ThreadRange>& ranges, bool global) const;

 private:
    static constexpr uint64_t kPage = 256;  // small, because threads may access words far apart
    enum class Use : uint8_t { kRead, kWrite, kAtomic };
    // A bit for each byte of a page.
    struct Bits {
        std::array<uint64_t, kPage / 64> words{};
        bool test(uint64_t bit) const { return (words[bit / 64] >> bit % 64 & 1) != 0; }
        void set(uint64_t bit) { words[bit / 64] |= uint64_t{1} << bit % 64; }
    };
    struct Page {
        Bits read{}, written{}, atomic{}, read_atomically{};  // the last: before they were written
    };
    void mark(uint64_t begin, uint64_t size, Use use);

    std::map<uint64_t, Page> pages_;
    uint64_t last_ = UINT64_MAX;
    Page* page_ = nullptr;
};

}  // namespace ptosim
