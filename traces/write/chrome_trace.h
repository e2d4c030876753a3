// trace.json: the Chrome trace format, for Perfetto and chrome://tracing (traces/FORMATS.md).
#pragma once

#include <filesystem>

#include "traces/record/recording.h"

namespace ptosim {

// Viewers take some hundred megabytes: where there are more slices than this, short neighbours are
// drawn together, and the file says so.
inline constexpr size_t kMostSlices = 300'000;

// `most`: slices of pipes; 0: all. Arrows are at most half as many, iterations of loops and points
// of counters a third. Returns what is not drawn by itself, as a sentence; nothing if all is. Fails
// with DiagnosticError (I40).
std::string write_chrome_trace(const Recording& recording, const std::filesystem::path& path,
                               size_t most = kMostSlices);

}  // namespace ptosim
