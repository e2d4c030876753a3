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

// Sectors that [begin, end) touches in the window that starts at `base`.
uint8_t sectors(uint64_t begin, uint64_t end, uint64_t base) {
    const uint64_t first = (std::max(begin, base) - base) / L2Cache::kSector;
    const uint64_t last = (std::min(end, base + L2Cache::kWindow) - 1 - base) / L2Cache::kSector;
    return static_cast<uint8_t>(((2u << last) - 1) & ~((1u << first) - 1) & kSectors);
}

}  // namespace

L2Cache::L2Cache(uint64_t bytes) : capacity_{bytes / kWindow} { ring_.reserve(capacity_); }

uint8_t& L2Cache::state(uint64_t window) {
    const uint64_t page = window / kPageWindows;
    if (page != last_page_) {
        std::unique_ptr<Page>& slot = pages_[page];
        if (!slot) slot = std::make_unique<Page>();
        last_ = slot.get();
        last_page_ = page;
    }
    return (*last_)[window % kPageWindows];
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
    for (uint64_t window = first; window <= last; ++window) {
        const uint8_t wanted = sectors(address, end, window * kWindow);
        const uint64_t count = count_sectors(wanted);
        if (capacity_ == 0) {
            traffic_.miss_bytes += count * kSector;
            continue;
        }
        uint8_t& before = state(window);
        const uint64_t found = count_sectors(before & wanted);
        if (write) {
            traffic_.hit_bytes += count * kSector;
        } else {
            traffic_.hit_bytes += found * kSector;
            traffic_.miss_bytes += (count - found) * kSector;
        }
        if (before == 0) insert(window);  // pages stay where they are
        before = static_cast<uint8_t>(before | wanted | (write ? kWritten : 0));
    }
}

L2Cache::Traffic L2Cache::take() {
    const Traffic traffic = traffic_;
    traffic_ = {};
    return traffic;
}

}  // namespace ptosim
