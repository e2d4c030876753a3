// A trace of MindStudio Insight, split by cluster.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace ptosim {

// Writes `folder`/trace_core<N>.json for each cluster N of the trace that write_insight() made at `trace`: the events of
// its cube core and vector cores. `clusters` selects some; nullopt: all. Throws DiagnosticError (I40).
void write_cluster_traces(const std::filesystem::path& trace, const std::filesystem::path& folder,
                          const std::optional<std::vector<unsigned>>& clusters);

}  // namespace ptosim
