// Shadow memory: the accesses to each byte that can still matter.
//
// It keeps accesses, not bytes: a record for each region, timeline and kind. A newer access of the same region by the
// same timeline replaces the older one, because everything ordered after the newer one is ordered after the older one,
// too. For the same reason a write removes the records that it covers and after which it is ordered. Memory is
// therefore bounded by the number of different regions, and limited by the budget that all shadows of a run share.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/core/instruction.h"
#include "sim/check/region.h"
#include "sim/check/timelines.h"

namespace ptosim::check {

struct Record {
    Region region;
    Stamp stamp;
    uint64_t sequence = 0;  // in the core's program order
    bool reads = false;
    bool write = false;
    bool atomic = false;
    bool handshake = false;  // carries a unit flag: the hardware orders M and FIX
    uint8_t operand = 0;
    bool scalar : 1 = false;      // a load or store of the scalar unit: no opcode
    bool by_pointer : 1 = false;  // by compiled code: its order between cores is unknown
    bool past_cache : 1 = false;  // cores synchronise by it
    Opcode opcode{};
    SourceLocation location;
    Cycle time = 0;
};

// Bytes that shadow memory may still use.
struct Budget {
    uint64_t left = 0;
    bool exceeded = false;
};
// Bytes of a record (in a vector that doubles), of its entry in each page, and of a page.
inline constexpr uint64_t kBytesPerRecord = 208;
inline constexpr uint64_t kBytesPerPlace = 8;
inline constexpr uint64_t kBytesPerPage = 128;
inline constexpr uint64_t kBytesPerCell = 48;

class Shadow {
 public:
    Shadow(unsigned page_bits, Budget& budget) : page_bits_{page_bits}, budget_{&budget} {}

    // Address at which pages begin. Global memory lies elsewhere in each run of the program, and the order of findings
    // must not depend on it.
    void set_origin(uint64_t origin) { origin_ = origin; }
    // Calls `visit(record)` once for every record whose bytes meet `region`: writes, and also reads if `with_reads`.
    // The record is removed if the call returns true.
    template <class Visit>
    void visit(const Region& region, bool with_reads, Visit&& visit);
    void insert(const Record& record);

 private:
    struct Slot {
        Record record;
        uint64_t visited = 0;
        uint32_t cost = 0;
        uint32_t pages = 0;  // entries in page lists; a dead slot is free when there are none
        bool alive = false;
    };
    struct Lists {
        std::vector<uint32_t> writes, reads;
        std::vector<uint32_t>& of(bool write) { return write ? writes : reads; }
    };
    // A page may have thousands of accesses of a few bytes, so these are in lists of their cells.
    struct Page : Lists {
        std::vector<Lists> cells;  // empty, or all cells of the page
    };
    static constexpr unsigned kCellBits = 6;

    template <class Do>
    void for_pages(const Region& region, Do&& act) const;
    // The first and the last cell of a page that the region touches.
    std::pair<size_t, size_t> cells_of(const Region& region, uint64_t page) const;
    bool in_one_cell(const Region& region) const {
        return region.lines == 1 &&
               (region.begin - origin_) >> kCellBits == (region.end() - 1 - origin_) >> kCellBits;
    }
    size_t cells_of_page() const {
        return page_bits_ < kCellBits ? 1 : size_t{1} << (page_bits_ - kCellBits);
    }
    template <class Visit>
    void visit_list(std::vector<uint32_t>& list, const Region& region, Visit& visit);
    void remove(uint32_t index);
    size_t bucket_of(const Record& record) const;  // its place in the table, or the place for it
    void grow_table();
    void leave_table(size_t hole);
    static constexpr uint32_t kNone = UINT32_MAX;

    unsigned page_bits_;
    Budget* budget_;
    uint64_t origin_ = 0;
    uint64_t query_ = 0;
    std::vector<Slot> slots_;
    std::vector<uint32_t> free_;
    std::unordered_map<uint64_t, Page> pages_;
    static_assert(sizeof(Slot) <= kBytesPerRecord / 2);
    // Living slots by region, timeline and kind: open addressing; the size is a power of two, and at most half is full.
    std::vector<uint32_t> table_ = std::vector<uint32_t>(64, kNone);
    size_t living_ = 0;
};

// ---- templates ----------------------------------------------------------------------------

template <class Do>
void Shadow::for_pages(const Region& region, Do&& act) const {
    uint64_t last = UINT64_MAX;
    const uint64_t page_bytes = uint64_t{1} << page_bits_;
    const bool sparse = region.lines > 1 && region.pitch > page_bytes;
    const uint64_t runs = sparse ? region.lines : 1;
    for (uint64_t i = 0; i < runs; ++i) {
        const uint64_t begin = region.begin - origin_ + i * region.pitch;
        const uint64_t end = sparse ? begin + region.width : region.end() - origin_;
        for (uint64_t page = begin >> page_bits_; page <= (end - 1) >> page_bits_; ++page)
            if (page != last) act(last = page);
    }
}

template <class Visit>
void Shadow::visit_list(std::vector<uint32_t>& list, const Region& region, Visit& visit) {
    for (size_t i = 0; i < list.size();) {
        Slot& slot = slots_[list[i]];
        if (slot.alive && slot.visited != query_) {
            slot.visited = query_;
            if (overlap(slot.record.region, region) && visit(slot.record)) remove(list[i]);
        }
        if (slot.alive) {
            ++i;
            continue;
        }
        if (--slot.pages == 0) free_.push_back(list[i]);
        list[i] = list.back();
        list.pop_back();
    }
}

template <class Visit>
void Shadow::visit(const Region& region, bool with_reads, Visit&& visit) {
    ++query_;
    for_pages(region, [&](uint64_t number) {
        const auto page = pages_.find(number);
        if (page == pages_.end()) return;
        const auto look = [&](Lists& lists) {
            visit_list(lists.writes, region, visit);
            if (with_reads) visit_list(lists.reads, region, visit);
        };
        look(page->second);
        if (page->second.cells.empty()) return;
        const auto [first, last] = cells_of(region, number);
        for (size_t cell = first; cell <= last; ++cell) look(page->second.cells[cell]);
    });
}

}  // namespace ptosim::check
