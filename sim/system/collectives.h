// Time of collectives over links and networks, by a start-up time and a rate for each class of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/model/system_model.h"

namespace ptosim {

enum class Collective : uint8_t { kAllReduce, kReduceScatter, kAllGather, kAllToAll };
inline constexpr std::string_view kCollectiveNames[] = {"all_reduce", "reduce_scatter", "all_gather", "all_to_all"};
std::optional<Collective> parse_collective(std::string_view name);

// The part of one class: L3 node, then L4 network1, L5 network2, L6 network3.
struct CollectivePart {
    std::string level;
    uint64_t ranks = 0;   // number that meet at this level
    double start_us = 0;  // of all steps
    double bytes = 0;     // sent by each device
    double us = 0;        // including the starts
};
struct CollectiveTime {
    std::vector<CollectivePart> parts;
    double us = 0;
};

// `bytes` of a rank: the summed numbers, the whole gathered or scattered array, or all data that it sends. Sums and
// gatherings go in rings, level by level: each level handles the data that the level below leaves to a rank. Exchanges
// go to all at once, so the slowest level counts. Neighbours in the group are `apart` ranks from each other. Throws
// DiagnosticError (I21) for ranks that do not fill the levels.
CollectiveTime collective_time(const SystemModel& system, Collective collective, uint64_t bytes, uint64_t ranks,
                               uint64_t apart = 1);
// All devices of all networks.
uint64_t all_ranks(const SystemModel& system);

}  // namespace ptosim
