// Lines in the data cache of a scalar unit, for the time of its loads: direct-mapped, with lines of
// CacheUse::kLineBytes and a power of two of slots.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/core/kernel.h"

namespace ptosim {

class LineCache {
 public:
    explicit LineCache(uint64_t lines) : lines_(std::bit_floor(lines), kNone) {}

    // The line in each slot. A line has the slot of its number modulo the size.
    const uint64_t* slots() const { return lines_.data(); }
    uint64_t size() const { return lines_.size(); }

    // Loads a line. Returns false if it was missing.
    bool load(uint64_t address) {
        if (lines_.empty()) return false;
        const uint64_t line = address / CacheUse::kLineBytes;
        uint64_t& slot = lines_[line % lines_.size()];
        const bool held = slot == line;
        slot = line;
        return held;
    }
    // Drops the lines of a range; with 0 bytes, all.
    void drop(uint64_t address, uint64_t bytes) {
        if (bytes == 0 || bytes / CacheUse::kLineBytes >= lines_.size()) {
            std::fill(lines_.begin(), lines_.end(), kNone);
            return;
        }
        for (uint64_t line = address / CacheUse::kLineBytes;
             line <= (address + bytes - 1) / CacheUse::kLineBytes; ++line)
            if (uint64_t& slot = lines_[line % lines_.size()]; slot == line) slot = kNone;
    }

 private:
    static constexpr uint64_t kNone = ~uint64_t{0};
    std::vector<uint64_t> lines_;
};

}  // namespace ptosim
