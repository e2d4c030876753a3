#include "sim/system/collectives.h"

#include <algorithm>

#include "isa/core/diagnostic.h"

namespace ptosim {
namespace {

constexpr double kMicro = 1e6;  // ps and bytes

// A class of links between ranks of one kind.
struct Level {
    std::string name;
    uint64_t ranks = 1;
    double latency_us = 0;
    double one = 0;       // bytes per us to one other rank
    double together = 0;  // bytes per us to all of the level
};

Level node_of(const SystemModel& system, uint64_t ranks) {
    Level level{"L3 node", ranks, 0, 0, 0};
    level.latency_us = static_cast<double>(system.link.latency) / kMicro;
    level.one = static_cast<double>(system.link.rate * system.link.lanes) / kMicro;
    if (system.dies > 1 && ranks > 1) {
        const double of_dies = static_cast<double>(system.die_link.rate * system.die_link.lanes) / kMicro;
        level.one = std::min(level.one, of_dies);
    }
    const bool mesh = system.topology == SystemModel::Topology::kFullMesh;
    level.together = mesh ? level.one * static_cast<double>(std::max<uint64_t>(1, ranks - 1)) : level.one;
    if (system.port_rate != 0) {
        const double port = static_cast<double>(system.port_rate) / kMicro;
        level.one = std::min(level.one, port);
        level.together = std::min(level.together, port);
    }
    return level;
}

// The number of members of a level that a group has whose ranks are `apart` from each other; `apart` becomes their
// distance in members of the next level. Empty if the group does not fit.
std::optional<uint64_t> members_of(uint64_t size, uint64_t most, uint64_t& apart) {
    if (apart >= size) {
        if (apart % size != 0) return {};
        apart /= size;
        return 1;
    }
    if (size % apart != 0) return {};
    const uint64_t members = std::min(size / apart, most);
    apart = 1;
    return members;
}

std::vector<Level> levels_of(const SystemModel& system, uint64_t ranks, uint64_t apart) {
    uint64_t joined = 1, distance = std::max<uint64_t>(1, apart);
    const std::optional<uint64_t> of_node = members_of(system.devices(), ranks, distance);
    bool fits = of_node.has_value();
    std::vector<Level> levels;
    if (joined = of_node.value_or(1); joined > 1 || ranks == 1) levels.push_back(node_of(system, joined));
    for (size_t i = 0; i < system.networks.size() && fits; ++i) {
        const SystemModel::Network& network = system.networks[i];
        if (network.members == 1) continue;
        const std::optional<uint64_t> members =
            members_of(network.members, ranks / std::max<uint64_t>(1, joined), distance);
        fits = members.has_value();
        if (members.value_or(0) <= 1) continue;
        const double rate = static_cast<double>(network.rate) / kMicro;
        levels.push_back({"L" + std::to_string(i + 4) + " network" + std::to_string(i + 1), *members,
                          static_cast<double>(network.latency) / kMicro, rate, rate});
        joined *= *members;
    }
    if (ranks < 1 || joined != ranks || !fits)
        fail_input("I21", std::to_string(ranks) + " ranks" +
                              (apart > 1 ? ", " + std::to_string(apart) + " apart," : std::string()) +
                              " do not fill hosts of " + std::to_string(system.devices()) +
                              " devices and networks of " + system.name,
                   "1 to " + std::to_string(system.devices()) + ", or whole hosts and networks up to " +
                       std::to_string(all_ranks(system)));
    return levels;
}

// A step begins when the bytes of the previous one have been stored and its sender has been notified: two latencies.
CollectivePart in_a_ring(const Level& level, double bytes, double rounds) {
    const auto others = static_cast<double>(level.ranks - 1);
    CollectivePart part{level.name, level.ranks, 0, 0, 0};
    part.start_us = rounds * others * 2 * level.latency_us;
    part.bytes = rounds * others * bytes / static_cast<double>(level.ranks);
    part.us = part.start_us + part.bytes / level.one;
    return part;
}

}  // namespace

std::optional<Collective> parse_collective(std::string_view name) {
    const auto found = std::find(std::begin(kCollectiveNames), std::end(kCollectiveNames), name);
    if (found == std::end(kCollectiveNames)) return {};
    return static_cast<Collective>(found - std::begin(kCollectiveNames));
}

uint64_t all_ranks(const SystemModel& system) {
    uint64_t ranks = system.devices();
    for (const SystemModel::Network& network : system.networks) ranks *= network.members;
    return ranks;
}

CollectiveTime collective_time(const SystemModel& system, Collective collective, uint64_t bytes, uint64_t ranks,
                               uint64_t apart) {
    CollectiveTime time;
    auto left = static_cast<double>(bytes);  // of a rank, at this level
    uint64_t below = 1;                      // ranks in a member of this level
    for (const Level& level : levels_of(system, ranks, apart)) {
        if (collective == Collective::kAllToAll) {
            CollectivePart part{level.name, level.ranks, level.latency_us, 0, 0};
            part.bytes = static_cast<double>(bytes) * static_cast<double>((level.ranks - 1) * below) /
                         static_cast<double>(ranks);
            part.us = part.start_us + part.bytes / level.together;
            time.us = std::max(time.us, part.us);
            time.parts.push_back(part);
        } else {
            const double rounds = collective == Collective::kAllReduce ? 2 : 1;
            time.parts.push_back(in_a_ring(level, left, rounds));
            time.us += time.parts.back().us;
            left /= static_cast<double>(level.ranks);
        }
        below *= level.ranks;
    }
    return time;
}

}  // namespace ptosim
