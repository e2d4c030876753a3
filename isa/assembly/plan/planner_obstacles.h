// Free bytes between allocations that have addresses: shared by the planners (planner.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/assembly/plan/planner.h"

namespace ptosim::assembly {

// An allocation that has an address, as an obstacle to others.
struct Obstacle {
    uint64_t begin = 0, end = 0;
    uint32_t first = 0, last = UINT32_MAX;
};

class Obstacles {
 public:
    void insert(const Obstacle& obstacle);
    // The lowest multiple of `step` at which `bytes` bytes are free during that life.
    uint64_t first_hole(uint64_t bytes, uint32_t first, uint32_t last, uint64_t step) const;
    uint64_t first_hole(uint64_t bytes, uint64_t step) const {
        return first_hole(bytes, 0, UINT32_MAX, step);
    }
    uint64_t bytes() const;

 private:
    std::vector<Obstacle> list_;  // by their begins
};

// kLargestFirst for one space: the addresses of the allocations `members`, or the first that does
// not fit. `fixed` are occupied all the time.
std::optional<size_t> assign_in_groups(std::span<Allocation> allocations,
                                       std::vector<size_t> members, const Obstacles& fixed,
                                       uint64_t budget, const PlanFacts& facts);

}  // namespace ptosim::assembly
