// The windows of global memory that L2 holds.
//
// Windows have 512 bytes in four sectors of 128. A new window replaces the oldest one. A replaced window that was
// written goes to the memory after L2.
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
        uint64_t again_bytes = 0;   // part of the misses: accessed before and not kept
        uint64_t written_back = 0;  // bytes of written windows that were evicted
        uint64_t rows = 0;
        uint64_t windows_entered = 0;  // beyond the windows of a contiguous row
        uint64_t part_bytes = 0;  // part of the misses that bypass L2: in partly accessed windows
    };
    // With Bypass nothing new is kept.
    enum class Access : uint8_t { kRead, kWrite, kReadBypass, kWriteBypass };

    explicit L2Cache(uint64_t bytes);
    // One row of an access: `size` contiguous bytes.
    void row(uint64_t address, uint64_t size, Access access) { rows(address, size, 0, 1, access); }
    // `count` rows, each `stride` bytes after the previous one.
    void rows(uint64_t address, uint64_t size, int64_t stride, uint64_t count, Access access);
    Traffic take();

    // All that it holds.
    struct Content;
    Content content() const;
    void restore(const Content& content);

 private:
    static constexpr uint64_t kPageWindows = 2048;
    struct Page {
        std::array<uint8_t, kPageWindows> windows{};  // valid sectors, and a bit for written
        std::array<uint8_t, kPageWindows> left{};     // sectors that were accessed and not kept
        uint64_t evicted = 0;                         // number of evicted windows of the page
    };
    // A read whose rows all hit. It hits again until a window of its pages is evicted.
    struct HitRecord {
        static constexpr size_t kMostPages = 8;
        uint64_t address = 0, size = 0, count = 0;
        int64_t stride = 0;
        uint64_t hit_bytes = 0, windows_entered = 0;
        std::array<const Page*, kMostPages> pages{};  // ends at the first null
        uint64_t evicted = 0;                         // in all of these pages
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
    // Of `count` rows in windows `step` apart, the number of leading ones whose sectors `wanted` are present and that
    // lie in the page of the first.
    uint64_t found(uint64_t window, int64_t step, uint64_t count, uint8_t wanted);
    void long_row(uint64_t address, uint64_t size, Access access);
    struct Sectors {
        uint64_t hits = 0, misses = 0, again = 0;
    };
    // Accesses sectors `wanted` of a window; L2 holds them from then on.
    inline void enter(uint64_t window, uint8_t wanted, bool write, Sectors& sectors);
    void pass_by(uint64_t window, uint8_t wanted, bool write, Sectors& sectors);
    void add(const Sectors& sectors) {
        traffic_.hit_bytes += sectors.hits * kSector;
        traffic_.miss_bytes += sectors.misses * kSector;
        traffic_.again_bytes += sectors.again * kSector;
    }
    void insert(uint64_t window);
    // leave(): accessed sectors of a window are not kept. accessed_before(): number of these sectors that left earlier.
    void leave(uint64_t window, uint8_t sectors);
    uint64_t accessed_before(uint64_t window, uint8_t sectors);

    uint64_t capacity_;  // windows
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
    struct Recent {
        uint64_t number = 0;
        Page* page = nullptr;
    };
    std::array<Recent, 1024> recent_{};  // pages, by the low bits of their numbers
    uint64_t last_page_ = ~uint64_t{0};
    Page* last_ = nullptr;
    std::vector<uint64_t> ring_;  // windows in the order of arrival
    uint64_t next_ = 0;
    std::vector<HitRecord> hit_records_ = std::vector<HitRecord>(kHitRecords);
    Traffic traffic_;
};

struct L2Cache::Content {
    std::vector<std::pair<uint64_t, Page>> pages;  // with their numbers
    std::vector<uint64_t> ring;
    uint64_t next = 0;
};

}  // namespace ptosim
