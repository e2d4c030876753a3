#include "sim/memory/l2_cache.h"

#include <algorithm>

namespace ptosim {
namespace {

constexpr uint8_t kWritten = 0x10;
constexpr uint8_t kSectors = 0x0F;

// How many of the four sectors a mask names: one digit per mask.
constexpr uint64_t count_sectors(uint8_t mask) {
    return 0x4332322132212110u >> (mask & kSectors) * 4 & 0xF;
}

}  // namespace

L2Cache::L2Cache(uint64_t bytes) : capacity_{bytes / kWindow} { ring_.reserve(capacity_); }

void L2Cache::turn_to(uint64_t page) {
    std::unique_ptr<Page>& slot = pages_[page];
    if (!slot) slot = std::make_unique<Page>();
    last_ = slot.get();
    last_page_ = page;
}

void L2Cache::insert(uint64_t window) {
    if (ring_.size() < capacity_) {
        ring_.push_back(window);
        return;
    }
    uint64_t& place = ring_[next_];
    next_ = (next_ + 1) % capacity_;
    uint8_t& old = state(place);
    if ((old & kWritten) != 0) traffic_.written_back += kSector * count_sectors(old);
    old = 0;
    place = window;
}

void L2Cache::row(uint64_t address, uint64_t size, bool write) {
    if (size == 0) return;
    const uint64_t end = address + size;
    const uint64_t first = address / kWindow, last = (end - 1) / kWindow;
    ++traffic_.rows;
    traffic_.windows_entered += last - first + 1 - (size + kWindow - 1) / kWindow;
    constexpr uint64_t kPerWindow = kWindow / kSector;
    uint64_t hits = 0, misses = 0;  // sectors
    for (uint64_t window = first; window <= last; ++window) {
        const uint64_t from = window == first ? address / kSector % kPerWindow : 0;
        const uint64_t to = window == last ? (end - 1) / kSector % kPerWindow : kPerWindow - 1;
        const auto wanted =
            static_cast<uint8_t>(kSectors << from & kSectors >> (kPerWindow - 1 - to));
        const uint64_t count = to - from + 1;
        if (capacity_ == 0) {
            misses += count;
            continue;
        }
        uint8_t& before = state(window);
        if (!write && (before & wanted) == wanted) {
            hits += count;
            continue;
        }
        const uint64_t found = write ? count : count_sectors(before & wanted);
        hits += found;
        misses += count - found;
        if (before == 0) insert(window);  // pages stay where they are
        before = static_cast<uint8_t>(before | wanted | (write ? kWritten : 0));
    }
    traffic_.hit_bytes += hits * kSector;
    traffic_.miss_bytes += misses * kSector;
}

L2Cache::Traffic L2Cache::take() {
    const Traffic traffic = traffic_;
    traffic_ = {};
    return traffic;
}

}  // namespace ptosim
