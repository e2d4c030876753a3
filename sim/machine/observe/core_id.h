// Identifies a core of a chip.
#pragma once

#include <cstdint>
#include <string>

#include "isa/core/pipe.h"

namespace ptosim {

// Cluster i holds AIC i, AIV 2i and AIV 2i+1.
struct CoreId {
    CoreType type = CoreType::kAIC;
    uint16_t index = 0;  // among the cores of its type
    friend bool operator==(const CoreId&, const CoreId&) = default;
};
std::string name(CoreId core);  // "AIC00", "AIV47"
// Another core of the cluster; `peer` is one of ClusterCores.
CoreId peer_core(CoreId core, uint8_t peer);

}  // namespace ptosim
