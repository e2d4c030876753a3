// Waits by cause; the waits of all cores of a type are added up.
#pragma once

#include <vector>

#include "traces/analyse/accounting.h"

namespace ptosim {

struct WaitGroup {
    CoreType type{};
    Pipe pipe{};
    const WaitSite* site = nullptr;  // of one of them
    Cycle cycles = 0;                // of all cores
    uint64_t times = 0, cores = 0;
    bool open = false;         // one of them was never released
    bool other_cores = false;  // the site names one core of several that released them
};

// Most cycles first, without what waits for the pipes of a core to drain.
std::vector<WaitGroup> wait_groups(const Accounting& accounting);

}  // namespace ptosim
