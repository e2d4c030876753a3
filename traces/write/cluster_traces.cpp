#include "traces/write/cluster_traces.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "sim/files/files.h"
#include "sim/files/json.h"

namespace ptosim {
namespace {

// Number of the cluster that a lane belongs to: 3 of "core3.veccore1".
std::optional<unsigned> cluster_of_lane(std::string_view lane) {
    constexpr std::string_view kCore = "core";
    if (!lane.starts_with(kCore)) return std::nullopt;
    unsigned cluster = 0;
    const char* const end = lane.data() + lane.size();
    if (std::from_chars(lane.data() + kCore.size(), end, cluster).ec != std::errc()) return std::nullopt;
    return cluster;
}

}  // namespace

void write_cluster_traces(const std::filesystem::path& trace, const std::filesystem::path& folder,
                          const std::optional<std::vector<unsigned>>& clusters) {
    std::ifstream file(trace);
    Json whole = parse_json(file);
    std::map<unsigned, Json> events;
    for (Json& event : whole["traceEvents"]) {
        const std::optional<unsigned> cluster = cluster_of_lane(event.value("pid", ""));
        if (cluster && (!clusters || std::find(clusters->begin(), clusters->end(), *cluster) != clusters->end()))
            events[*cluster].push_back(std::move(event));
    }
    for (auto& [cluster, of_cluster] : events) {
        whole["traceEvents"] = std::move(of_cluster);
        write_file((folder / ("trace_core" + std::to_string(cluster) + ".json")).string(), dump_json(whole) + "\n");
    }
}

}  // namespace ptosim
