// Written bytes of a memory, including bytes that are stale from an earlier use.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/check/region.h"

namespace ptosim::check {

// A bit per byte.
class WrittenBytes {
 public:
    // A writer: an operand of an instruction in the kernel's text, and the tile's address.
    using Site = uint64_t;

    void clear();
    void set(const Region& region);
    // Records a write by `site`. Bytes that the same site wrote earlier through a larger valid region, and that were
    // not overwritten since, become stale.
    void set(const Region& region, Site site);
    // The first unwritten byte of the region; UINT64_MAX if there is none. Stale bytes count as unwritten if they are
    // read together with newer ones; a read of stale bytes alone is taken as intended.
    uint64_t first_unwritten(const Region& region);
    // Unwritten bytes of the region as runs [first, second), in order of lines; stale bytes as
    // above.
    std::vector<std::pair<uint64_t, uint64_t>> unwritten(const Region& region) const;
    // Makes bytes unwritten.
    void unset(const Region& region);
    // True if any byte of the region has been written.
    bool any_written(const Region& region) const;

 private:
    struct Write {
        Region region;
        uint64_t order = 0;
    };
    // Bytes that `site` wrote before it wrote `later`.
    struct LeftOver {
        Region bytes, later;
    };
    bool meant(uint64_t byte, const Region& read) const;
    // Completely written regions are cached because kernels reuse the same tiles.
    Region& remembered(const Region& region);

    std::vector<uint64_t> words_;
    std::vector<Region> complete_;
    std::unordered_map<Site, Write> writes_;  // the last of each site
    uint64_t order_ = 0;
    std::vector<LeftOver> left_over_;  // the latest ones, in a ring
    size_t next_left_over_ = 0;
};

}  // namespace ptosim::check
