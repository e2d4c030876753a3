// Work of a run, peak rates of a chip, and lower bounds on cycles derived from both.
#pragma once

#include <array>
#include <cstdint>

#include "isa/core/tile.h"
#include "isa/numeric/dtype.h"
#include "sim/machine/event/cycle.h"

namespace ptosim {

// The work of a run, independent of its time.
struct Work {
    std::array<uint64_t, static_cast<size_t>(DType::kCount)>
        products{};              // multiply-adds, by type of a
    uint64_t read_bytes = 0;     // from global memory into the cores
    uint64_t written_bytes = 0;  // to global memory
    uint64_t hbm_bytes = 0;      // part of read_bytes that L2 did not hold

    // Of a run, not of a recording: bytes of tiles that instructions read or wrote in each on-chip memory, the end of
    // the highest one, and bytes through the vector units.
    std::array<uint64_t, kSpaceCount> moved_bytes{}, used_bytes{};
    uint64_t vector_bytes = 0;

    uint64_t all_products() const;
};

// Peak rates of a chip, per thousand cycles.
struct Peaks {
    std::array<uint64_t, static_cast<size_t>(DType::kCount)> products{};  // of all cubes
    uint64_t read_bytes = 0;  // of all cores together, from global memory
    uint64_t written_bytes = 0;
    uint64_t hbm_bytes = 0;  // between HBM and L2
};

// Lower bounds in cycles: on this chip a run cannot be shorter than any of them.
struct Bounds {
    Cycle compute = 0;  // the products, at the peak of all cubes
    // The bytes: reads and writes at the rates of all cores together, and bytes that L2 did not hold at the rate of
    // HBM; the longest of the three.
    Cycle bandwidth = 0;
};
Bounds bounds(const Peaks& peaks, const Work& work);

}  // namespace ptosim
