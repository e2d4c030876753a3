// Which bytes of a memory have been written, and which of them are left over from an earlier use.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/check/region.h"

namespace ptosim::check {

// A bit per byte.
class WrittenBytes {
 public:
    // Who writes: an operand of an instruction of the kernel's text, into a tile at an address.
    using Site = uint64_t;

    void clear();
    void set(const Region& region);
    // A write of `site`. What the same site has written before, through a larger valid region, and
    // nobody has overwritten since, is left over.
    void set(const Region& region, Site site);
    // The first byte of the region that has not been written; UINT64_MAX if all have. What is left
    // over counts as not written for who reads it together with what came after it; who reads
    // nothing else means it.
    uint64_t first_unwritten(const Region& region);

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
    // Kernels use the same tiles again and again: regions known to be written need no look.
    Region& remembered(const Region& region);
    void unset(const Region& region);

    std::vector<uint64_t> words_;
    std::vector<Region> complete_;
    std::unordered_map<Site, Write> writes_;  // the last of each site
    uint64_t order_ = 0;
    std::vector<LeftOver> left_over_;  // the latest, in a ring
    size_t next_left_over_ = 0;
};

}  // namespace ptosim::check
