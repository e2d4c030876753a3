// A system for unit tests, with round figures.
#pragma once

#include "sim/machine/model/system_model.h"

namespace ptosim {

// Two hosts of four chips: 1 us and 100 GB/s between chips, 5 us and 10 GB/s between hosts.
inline SystemModel pair_of_hosts() {
    SystemModel system;
    system.name = "pair";
    system.chips = 4;
    system.link = {1'000'000, 100'000'000'000, 1};
    system.networks[0] = {2, 5'000'000, 10'000'000'000};
    return system;
}

}  // namespace ptosim
