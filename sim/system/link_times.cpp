#include "sim/system/link_times.h"

#include <algorithm>

#include "sim/model/system_model.h"

namespace ptosim {

std::vector<LinkTimes> link_times(const SystemModel& system, uint64_t clock, unsigned device, unsigned devices) {
    constexpr uint64_t kPerKilohertz = 1'000'000'000;  // ps per period of 1 kHz
    std::vector<LinkTimes> times(devices);
    for (unsigned other = 0; other < devices; ++other) {
        const SystemModel::Link& link = other == device ? system.link : system.between(device, other);
        times[other].latency =
            std::max<Cycle>(1, (link.latency * (clock / 1000) + kPerKilohertz - 1) / kPerKilohertz);
        times[other].rate = std::max<Milli>(1, per_cycle(link.rate * link.lanes, clock));
        const bool switched = system.topology == SystemModel::Topology::kSwitch && link == system.link;
        times[other].port = switched ? device : other;
        if (system.port_rate != 0 && link == system.link)
            times[other].together = std::max<Milli>(1, per_cycle(system.port_rate, clock));
    }
    return times;
}

}  // namespace ptosim
