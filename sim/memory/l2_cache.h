// Which windows of global memory the L2 holds.
//
// Windows of 512 bytes with four sectors of 128; a new window takes the place of the oldest. A
// window that was written goes to the memory behind L2 when its place is taken.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ptosim {

class L2Cache {
 public:
    static constexpr uint64_t kWindow = 512;
    static constexpr uint64_t kSector = 128;

    // Hits, misses and evictions of the accesses since the last take().
    struct Traffic {
        uint64_t hit_bytes = 0;
        uint64_t miss_bytes = 0;    // whole sectors
        uint64_t again_bytes = 0;   // of the misses: what was accessed before and not kept
        uint64_t written_back = 0;  // bytes of written windows that were evicted
        uint64_t rows = 0;
        uint64_t windows_entered = 0;  // beyond those that a row in line would touch
        uint64_t part_bytes = 0;  // of the misses that bypass L2, those in windows not wanted whole
    };
    // Bypass: nothing new is kept.
    enum class Access : uint8_t { kRead, kWrite, kReadBypass, kWriteBypass };

    explicit L2Cache(uint64_t bytes);
    // One row of an access: `size` contiguous bytes.
    void row(uint64_t address, uint64_t size, Access access) { rows(address, size, 0, 1, access); }
    // `count` rows, each `stride` bytes after the one before.
    void rows(uint64_t address, uint64_t size, int64_t stride, uint64_t count, Access access);
    Traffic take();

 private:
    static constexpr uint64_t kPageWindows = 2048;
    struct Page {
        std::array<uint8_t, kPageWindows> windows{};  // valid sectors, and whether written
        std::array<uint8_t, kPageWindows> left{};     // sectors that were accessed and not kept
        uint64_t evicted = 0;                         // how many windows of it
    };
    // A read of which all rows hit: until a window of its pages is evicted, it will again.
    struct HitRecord {
        static constexpr size_t kMostPages = 8;
        uint64_t address = 0, size = 0, count = 0;
        int64_t stride = 0;
        uint64_t hit_bytes = 0, windows_entered = 0;
        std::array<const Page*, kMostPages> pages{};  // up to the first null
        uint64_t evicted = 0;                         // of all of these
        uint64_t evicted_now() const;
    };
    static constexpr size_t kHitRecords = 1024;

    HitRecord& hit_record(uint64_t address, uint64_t size, int64_t stride, uint64_t count) {
        uint64_t hash = (address ^ count << 48 ^ size << 52) * 0x9E3779B97F4A7C15u;
        hash ^= static_cast<uint64_t>(stride) << 32;
        return hit_records_[hash >> 40 & (kHitRecords - 1)];
    }
    void look_up(uint64_t address, uint64_t size, int64_t stride, uint64_t count, Access access);
    void record_pages(HitRecord& record);

    uint8_t& state(uint64_t window) {
        if (window / kPageWindows != last_page_) turn_to(window / kPageWindows);
        return last_->windows[window % kPageWindows];
    }
    void turn_to(uint64_t page) {
        Recent& recent = recent_[page % recent_.size()];
        if (recent.page == nullptr || recent.number != page) recent = {page, &page_of(page)};
        last_ = recent.page;
        last_page_ = page;
    }
    Page& page_of(uint64_t number);
    // Of `count` rows in windows that are `step` apart, the number at the front of which sectors
    // `wanted` are there, and which lie in the page of the first.
    uint64_t found(uint64_t window, int64_t step, uint64_t count, uint8_t wanted);
    void long_row(uint64_t address, uint64_t size, Access access);
    struct Sectors {
        uint64_t hits = 0, misses = 0, again = 0;
    };
    // Sectors `wanted` of a window, which L2 holds from then on.
    inline void enter(uint64_t window, uint8_t wanted, bool write, Sectors& sectors);
    void pass_by(uint64_t window, uint8_t wanted, bool write, Sectors& sectors);
    void add(const Sectors& sectors) {
        traffic_.hit_bytes += sectors.hits * kSector;
        traffic_.miss_bytes += sectors.misses * kSector;
        traffic_.again_bytes += sectors.again * kSector;
    }
    void insert(uint64_t window);
    // Sectors of a window that were accessed are not kept; how many of these were so before.
    void leave(uint64_t window, uint8_t sectors);
    uint64_t accessed_before(uint64_t window, uint8_t sectors);

    uint64_t capacity_;  // windows
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
    struct Recent {
        uint64_t number = 0;
        Page* page = nullptr;
    };
    std::array<Recent, 1024> recent_{};  // pages, by the last bits of their numbers
    uint64_t last_page_ = ~uint64_t{0};
    Page* last_ = nullptr;
    std::vector<uint64_t> ring_;  // windows in the order in which they came
    uint64_t next_ = 0;
    std::vector<HitRecord> hit_records_ = std::vector<HitRecord>(kHitRecords);
    Traffic traffic_;
};

}  // namespace ptosim
