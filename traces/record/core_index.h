// Numbers for cores: in the order in which they are met, and in the order in which they are shown.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sim/machine/observe/observer.h"

namespace ptosim {

// The position of a core among all lanes: cluster by cluster, AIC i, AIV 2i, AIV 2i+1.
constexpr uint32_t lane_key(CoreId core) {
    return core.type == CoreType::kAIC ? 3u * core.index
                                       : 3u * (core.index / 2u) + 1u + core.index % 2u;
}

// Indices into `cores`, in the order of lanes.
inline std::vector<uint16_t> lane_order(const std::vector<CoreId>& cores) {
    std::vector<uint16_t> order(cores.size());
    std::iota(order.begin(), order.end(), uint16_t{0});
    std::sort(order.begin(), order.end(),
              [&cores](uint16_t a, uint16_t b) { return lane_key(cores[a]) < lane_key(cores[b]); });
    return order;
}

// Numbers cores from 0 as they are met.
class CoreIndex {
 public:
    // `cores` grows by a core that is new.
    uint16_t of(CoreId core, std::vector<CoreId>& cores) {
        std::vector<int32_t>& indices = known_[static_cast<size_t>(core.type)];
        if (core.index >= indices.size()) indices.resize(core.index + size_t{1}, -1);
        if (indices[core.index] < 0) {
            indices[core.index] = static_cast<int32_t>(cores.size());
            cores.push_back(core);
        }
        return static_cast<uint16_t>(indices[core.index]);
    }

 private:
    std::array<std::vector<int32_t>, 2> known_;
};

}  // namespace ptosim
