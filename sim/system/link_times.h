// Times of the links between the chips of a system, on the clock of their cores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine/event/cycle.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim {

// A link from one chip to another, in cycles of the cores and thousandths of bytes per cycle.
struct LinkTimes {
    Cycle latency = 1;
    Milli rate = 1000;
    unsigned port = 0;  // transfers of one port are serialised
    Milli together = 0;  // limit of this link and the device's others together; 0: none
};

struct SystemModel;
// Links from one device to all, including itself, on chips with this clock.
std::vector<LinkTimes> link_times(const SystemModel& system, uint64_t clock, unsigned device, unsigned devices);
// The same if the devices belong to hosts of a network: `places` has the host of each, and its number there.
struct DevicePlace {
    unsigned host = 0, number = 0;
};
std::vector<LinkTimes> link_times(const SystemModel& system, uint64_t clock, unsigned device,
                                  std::span<const DevicePlace> places);

}  // namespace ptosim
