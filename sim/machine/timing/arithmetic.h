// Integer arithmetic of time. Each time is rounded up once, to a cycle.
#pragma once

#include <algorithm>

#include "isa/numeric/round_up.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {

constexpr Cycle whole(Milli cycles) { return ceil_div(cycles, 1000); }

// Cost of an instruction that holds its pipe for busy + overhead and whose result is written after busy + latency.
inline Cost make_cost(Milli busy, Milli overhead, Milli latency) {
    Cost cost;
    cost.occupancy = std::max<Cycle>(1, whole(busy + overhead));
    cost.latency = std::max(cost.occupancy, whole(busy + latency));
    return cost;
}

inline uint64_t valid_bytes(const Tile& tile) {
    return bytes(tile.dtype,
                 static_cast<size_t>(tile.valid_rows) * static_cast<size_t>(tile.valid_cols));
}

}  // namespace ptosim
