// What observers know of the chip: sizes and rates that reports compare a run with.
#pragma once

#include <array>
#include <cstdint>

#include "isa/tile.h"
#include "sim/observe/work.h"

namespace ptosim {

// Zero: not known.
struct ChipFacts {
    std::array<uint64_t, kSpaceCount> buffer_bytes{};
    uint64_t read_bytes_per_second = 0;   // all cores together, from global memory
    uint64_t write_bytes_per_second = 0;  // and to it
    uint64_t queue_depth = 0;
    uint64_t aics = 0, aivs = 0;
    // Multiplications and additions per second of one cube, by element type of its inputs.
    std::array<uint64_t, static_cast<size_t>(DType::kCount)> cube_operations_per_second{};
    uint64_t vector_bytes_per_cycle = 0;  // of destination elements, one AIV
    Peaks peaks;
};

}  // namespace ptosim
