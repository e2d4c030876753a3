// The bytes that the threads of a block access, for checkers.
#pragma once

#include <bitset>
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
    static constexpr uint64_t kPage = 4096;
    enum class Use : uint8_t { kRead, kWrite, kAtomic };
    struct Page {
        std::bitset<kPage> read{}, written{}, atomic{}, read_atomically{};  // the last: before they were written
    };
    void mark(uint64_t begin, uint64_t size, Use use);

    std::map<uint64_t, Page> pages_;
    uint64_t last_ = UINT64_MAX;
    Page* page_ = nullptr;
};

}  // namespace ptosim
