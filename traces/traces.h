// From a run to files, in one call.
#pragma once

#include <filesystem>
#include <vector>

#include "traces/accounting.h"
#include "traces/recorder.h"
#include "traces/recording.h"
#include "traces/summary.h"
#include "traces/summary_observer.h"

namespace ptosim {

// Makes `folder` and writes trace.json, lanes.json and summary.txt into it. Returns what it has
// written. Fails with DiagnosticError (I40); files that could not be finished are not there.
std::vector<std::filesystem::path> write_traces(const Recording& recording,
                                                const std::filesystem::path& folder);

}  // namespace ptosim
