// trace.json: the Chrome trace format, for Perfetto and chrome://tracing (traces/FORMATS.md).
#pragma once

#include <filesystem>

#include "traces/recording.h"

namespace ptosim {

// Fails with DiagnosticError (I40).
void write_chrome_trace(const Recording& recording, const std::filesystem::path& path);

}  // namespace ptosim
