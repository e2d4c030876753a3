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
    // nobody has overwritten since, counts as not written any more.
    void set(const Region& region, Site site);
    // The first byte of the region that has not been written; UINT64_MAX if all have.
    uint64_t first_unwritten(const Region& region);

 private:
    struct Write {
        Region region;
        uint64_t order = 0;
    };
    // Kernels use the same tiles again and again: regions known to be written need no look.
    Region& remembered(const Region& region);
    void unset(const Region& region);

    std::vector<uint64_t> words_;
    std::vector<Region> complete_;
    std::unordered_map<Site, Write> writes_;  // the last of each site
    uint64_t order_ = 0;
};

}  // namespace ptosim::check
