#include "sim/machine/memory/l2_cache.h"

#include <algorithm>

namespace ptosim {
namespace {

constexpr uint8_t kWritten = 0x10;
constexpr uint8_t kSectors = 0x0F;

// Number of sectors in a mask of four: one digit for each mask.
constexpr uint64_t count_sectors(uint8_t mask) {
    return 0x4332322132212110u >> (mask & kSectors) * 4 & 0xF;
}

// The sectors of a window from its first byte to its last.
constexpr uint64_t kPerWindow = L2Cache::kWindow / L2Cache::kSector;
uint8_t sectors(uint64_t first_byte, uint64_t last_byte) {
    const uint64_t from = first_byte / L2Cache::kSector % kPerWindow;
    const uint64_t to = last_byte / L2Cache::kSector % kPerWindow;
    return static_cast<uint8_t>(kSectors << from & kSectors >> (kPerWindow - 1 - to));
}

}  // namespace

L2Cache::L2Cache(uint64_t bytes) : capacity_{bytes / kWindow} { ring_.reserve(capacity_); }

L2Cache::Page& L2Cache::page_of(uint64_t number) {
    std::unique_ptr<Page>& there = pages_[number];
    if (!there) there = std::make_unique<Page>();
    return *there;
}

L2Cache::Content L2Cache::content() const {
    Content content{{}, ring_, next_};
    for (const auto& [number, page] : pages_) content.pages.emplace_back(number, *page);
    return content;
}

// Pages stay where they are, because others point to them.
void L2Cache::restore(const Content& content) {
    for (auto& [number, page] : pages_) *page = {};
    for (const auto& [number, page] : content.pages) page_of(number) = page;
    ring_ = content.ring;
    next_ = content.next;
    hit_records_.assign(kHitRecords, {});
}

void L2Cache::insert(uint64_t window) {
    if (ring_.size() < capacity_) {
        ring_.push_back(window);
        return;
    }
    uint64_t& oldest = ring_[next_];
    next_ = next_ + 1 == capacity_ ? 0 : next_ + 1;
    uint8_t& old = state(oldest);
    if ((old & kWritten) != 0) traffic_.written_back += kSector * count_sectors(old);
    leave(oldest, old);
    old = 0;
    ++last_->evicted;
    oldest = window;
}

uint64_t L2Cache::HitRecord::evicted_now() const {
    uint64_t sum = 0;
    for (const Page* page : pages) {
        if (page == nullptr) break;
        sum += page->evicted;
    }
    return sum;
}

void L2Cache::enter(uint64_t window, uint8_t wanted, bool write, Sectors& sectors) {
    uint8_t& before = state(window);
    const uint64_t count = count_sectors(wanted);
    const uint64_t found = write ? count : count_sectors(before & wanted);
    sectors.hits += found;
    if (found == count && !write) return;
    sectors.misses += count - found;
    if (found < count)
        sectors.again += accessed_before(window, static_cast<uint8_t>(wanted & ~before));
    if (before == 0) insert(window);  // pages keep their addresses
    before = static_cast<uint8_t>(before | wanted | (write ? kWritten : 0));
}

void L2Cache::rows(uint64_t address, uint64_t size, int64_t stride, uint64_t count, Access access) {
    if (size == 0) return;
    traffic_.rows += count;
    constexpr uint64_t kFew = 8;  // rows looked up at once
    if (access != Access::kRead || count < kFew)
        return look_up(address, size, stride, count, access);
    HitRecord& record = hit_record(address, size, stride, count);
    if (record.address == address && record.size == size && record.stride == stride &&
        record.count == count && record.evicted == record.evicted_now()) {
        traffic_.hit_bytes += record.hit_bytes;
        traffic_.windows_entered += record.windows_entered;
        return;
    }
    const Traffic before = traffic_;
    look_up(address, size, stride, count, access);
    if (traffic_.miss_bytes > before.miss_bytes) return;
    record = {address,
              size,
              count,
              stride,
              traffic_.hit_bytes - before.hit_bytes,
              traffic_.windows_entered - before.windows_entered};
    record_pages(record);
}

// Records the pages of the rows; records nothing if there are too many.
void L2Cache::record_pages(HitRecord& record) {
    const int64_t reach = record.stride * static_cast<int64_t>(record.count - 1);
    const uint64_t low = record.address + static_cast<uint64_t>(std::min<int64_t>(0, reach));
    const uint64_t high =
        record.address + static_cast<uint64_t>(std::max<int64_t>(0, reach)) + record.size - 1;
    constexpr uint64_t kPageBytes = kWindow * kPageWindows;
    const uint64_t first = low / kPageBytes, last = high / kPageBytes;
    if (last - first >= HitRecord::kMostPages) {
        record.count = 0;
        return;
    }
    for (uint64_t page = first; page <= last; ++page) {
        turn_to(page);
        record.pages[page - first] = last_;
    }
    record.evicted = record.evicted_now();
}

void L2Cache::look_up(uint64_t address, uint64_t size, int64_t stride, uint64_t count,
                      Access access) {
    if (capacity_ == 0 || size > kWindow || access > Access::kWrite) {
        for (uint64_t i = 0; i < count; ++i, address += static_cast<uint64_t>(stride))
            long_row(address, size, access);
        return;
    }
    const bool write = access == Access::kWrite;
    Sectors seen;
    if (!write && stride % static_cast<int64_t>(kWindow) == 0 &&
        address / kWindow == (address + size - 1) / kWindow) {  // the same position in all windows
        const uint8_t wanted = sectors(address, address + size - 1);
        const int64_t step = stride / static_cast<int64_t>(kWindow);
        uint64_t window = address / kWindow;
        for (uint64_t i = 0; i < count;) {
            const uint64_t there = found(window, step, count - i, wanted);
            seen.hits += there * count_sectors(wanted);
            i += there;
            window += there * static_cast<uint64_t>(step);
            if (there > 0) continue;
            enter(window, wanted, write, seen);
            ++i;
            window += static_cast<uint64_t>(step);
        }
        return add(seen);
    }
    for (uint64_t i = 0; i < count; ++i, address += static_cast<uint64_t>(stride)) {
        const uint64_t last = address + size - 1;
        if (address / kWindow == last / kWindow)
            enter(address / kWindow, sectors(address, last), write, seen);
        else
            long_row(address, size, access);
    }
    add(seen);
}

uint64_t L2Cache::found(uint64_t window, int64_t step, uint64_t count, uint8_t wanted) {
    state(window);
    int64_t at = static_cast<int64_t>(window % kPageWindows);
    uint64_t rows = 0;
    for (; rows < count && static_cast<uint64_t>(at) < kPageWindows; ++rows, at += step)
        if ((last_->windows[static_cast<size_t>(at)] & wanted) != wanted) break;
    return rows;
}

void L2Cache::long_row(uint64_t address, uint64_t size, Access access) {
    const bool bypasses = access > Access::kWrite || capacity_ == 0;
    const bool write = access == Access::kWrite || access == Access::kWriteBypass;
    const uint64_t end = address + size;
    const uint64_t first = address / kWindow, last = (end - 1) / kWindow;
    traffic_.windows_entered += last - first + 1 - (size + kWindow - 1) / kWindow;
    Sectors seen;
    for (uint64_t window = first; window <= last; ++window) {
        const uint8_t wanted =
            sectors(window == first ? address : 0, window == last ? end - 1 : kWindow - 1);
        if (bypasses && (state(window) & wanted) != wanted)
            pass_by(window, wanted, write, seen);
        else
            enter(window, wanted, write, seen);
    }
    add(seen);
}

// Access to a window of which L2 holds a part, without loading the rest: resident sectors are used and updated.
void L2Cache::pass_by(uint64_t window, uint8_t wanted, bool write, Sectors& sectors) {
    uint8_t& before = state(window);
    const uint64_t count = count_sectors(wanted), there = count_sectors(before & wanted);
    sectors.hits += there;
    sectors.misses += count - there;
    sectors.again += accessed_before(window, static_cast<uint8_t>(wanted & ~before));
    leave(window, wanted);
    if (count < kPerWindow) traffic_.part_bytes += (count - there) * kSector;
    if (write && there > 0) before |= kWritten;
}

void L2Cache::leave(uint64_t window, uint8_t sectors) {
    state(window);
    uint8_t& left = last_->left[window % kPageWindows];
    left = static_cast<uint8_t>(left | (sectors & kSectors));
}

uint64_t L2Cache::accessed_before(uint64_t window, uint8_t sectors) {
    state(window);
    return count_sectors(static_cast<uint8_t>(last_->left[window % kPageWindows] & sectors));
}

L2Cache::Traffic L2Cache::take() {
    const Traffic traffic = traffic_;
    traffic_ = {};
    return traffic;
}

}  // namespace ptosim
