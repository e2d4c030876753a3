// What a run did, what a chip can do at best, and the lower bounds on cycles that follow.
#pragma once

#include <array>
#include <cstdint>

#include "isa/numeric/dtype.h"
#include "sim/event/cycle.h"

namespace ptosim {

// The work of a run, whatever the time it took.
struct Work {
    std::array<uint64_t, static_cast<size_t>(DType::kCount)>
        products{};              // multiply-adds, by type of a
    uint64_t read_bytes = 0;     // from global memory into the cores
    uint64_t written_bytes = 0;  // to global memory
    uint64_t hbm_bytes = 0;      // of those read: that L2 did not hold

    uint64_t all_products() const;
};

// What a chip can do in a thousand cycles at best.
struct Peaks {
    std::array<uint64_t, static_cast<size_t>(DType::kCount)> products{};  // of all cubes
    uint64_t read_bytes = 0;  // of all cores together, from global memory
    uint64_t written_bytes = 0;
    uint64_t hbm_bytes = 0;  // between HBM and L2
};

// Cycles. A run cannot be shorter than any of them on this chip.
struct Bounds {
    Cycle compute = 0;  // the products, at the peak of all cubes
    // The bytes: those read and those written at the rates of all cores together, and those that
    // L2 did not hold at the rate of HBM; the longest of the three.
    Cycle bandwidth = 0;
};
Bounds bounds(const Peaks& peaks, const Work& work);

}  // namespace ptosim
