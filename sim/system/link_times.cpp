#include "sim/system/link_times.h"

#include <algorithm>
#include <optional>

#include "sim/machine/model/system_model.h"

namespace ptosim {

std::vector<LinkTimes> link_times(const SystemModel& system, uint64_t clock, unsigned device, unsigned devices) {
    std::vector<DevicePlace> places(devices);
    for (unsigned other = 0; other < devices; ++other) places[other].number = other;
    return link_times(system, clock, device, places);
}

// A device has one port to the network, which is the port of the first device of another host.
std::vector<LinkTimes> link_times(const SystemModel& system, uint64_t clock, unsigned device,
                                  std::span<const DevicePlace> places) {
    constexpr uint64_t kPerKilohertz = 1'000'000'000;  // ps per period of 1 kHz
    const SystemModel::Network& network = system.networks.front();
    const SystemModel::Link outside{network.latency, network.rate, 1};
    const DevicePlace here = places[device];
    std::vector<LinkTimes> times(places.size());
    std::optional<unsigned> port_outside;
    for (unsigned other = 0; other < places.size(); ++other) {
        const bool leaves = places[other].host != here.host;
        if (leaves && !port_outside) port_outside = other;
        const SystemModel::Link& link = leaves            ? outside
                                        : other == device ? system.link
                                                          : system.between(here.number, places[other].number);
        times[other].latency =
            std::max<Cycle>(1, (link.latency * (clock / 1000) + kPerKilohertz - 1) / kPerKilohertz);
        times[other].rate = std::max<Milli>(1, per_cycle(link.rate * link.lanes, clock));
        const bool between_chips = !leaves && link == system.link;
        const bool switched = system.topology == SystemModel::Topology::kSwitch && between_chips;
        times[other].port = leaves ? *port_outside : switched ? device : other;
        if (system.port_rate != 0 && between_chips)
            times[other].together = std::max<Milli>(1, per_cycle(system.port_rate, clock));
    }
    return times;
}

}  // namespace ptosim
