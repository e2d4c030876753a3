// trace.json: the Chrome trace format, for Perfetto and chrome://tracing (docs/formats.md).
#pragma once

#include <filesystem>
#include <string_view>

#include "traces/record/recording.h"

namespace ptosim {

// Viewers take some hundred megabytes: if there are more slices than this, short neighbours are
// drawn together, and the file contains a note about it.
inline constexpr size_t kMostSlices = 300'000;

// `most`: slices of pipes; 0: all. Arrows are at most half as many, iterations of loops and points
// of counters a third. Returns a sentence about slices that are not drawn alone; empty if all are.
// Fails with DiagnosticError (I40).
std::string write_chrome_trace(const Recording& recording, const std::filesystem::path& path,
                               size_t most = kMostSlices);

inline constexpr const char* kChromeTraceFile = "trace.json";

// A core's process in the file, and a thread of it that is left for others to draw in.
struct ChromeLane {
    uint32_t process = 0, thread = 0;
};
ChromeLane chrome_task_lane(CoreId core);
// Adds events (JSON objects, with commas between them) to a file that has been written. Fails with
// DiagnosticError (I40).
void add_chrome_events(const std::filesystem::path& path, std::string_view events);

}  // namespace ptosim
