// lanes.json: an object per core, a line per instruction and per wait (docs/formats.md).
#pragma once

#include <filesystem>

#include "traces/analyse/accounting.h"
#include "traces/record/recording.h"

namespace ptosim {

// Fails with DiagnosticError (I40).
void write_lanes(const Recording& recording, const Accounting& accounting,
                 const std::filesystem::path& path);

}  // namespace ptosim
