// How long collectives take over links and networks, by a start-up time and a rate for each class of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/system_model.h"

namespace ptosim {

enum class Collective : uint8_t { kAllReduce, kReduceScatter, kAllGather, kAllToAll };
inline constexpr std::string_view kCollectiveNames[] = {"all_reduce", "reduce_scatter", "all_gather", "all_to_all"};
std::optional<Collective> parse_collective(std::string_view name);

// What one class does of it: L3 node, then L4 network1, L5 network2, L6 network3.
struct CollectivePart {
    std::string level;
    uint64_t ranks = 0;   // that meet there
    double start_us = 0;  // of all steps
    double bytes = 0;     // that a device sends
    double us = 0;        // with the starts
};
struct CollectiveTime {
    std::vector<CollectivePart> parts;
    double us = 0;
};

// `bytes` of a rank: the numbers that are summed, the whole that is gathered or scattered, or all that it sends. Sums and
// gatherings go in rings, level by level: each level handles what the level below leaves to a rank. Exchanges go to all
// at once, so that the slowest level counts. Throws DiagnosticError (I21) for ranks that do not fill the levels.
CollectiveTime collective_time(const SystemModel& system, Collective collective, uint64_t bytes, uint64_t ranks);

}  // namespace ptosim
