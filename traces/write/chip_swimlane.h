// The inter-core swimlane: which core ran which task when, as the PyPTO Toolkit and simpler's
// tools read it. A block of a plain launch is a task.
//
// chip_swimlane_records.json, deps.json, name_map_*.json and pmu.csv, with the fields of
// hw-native-sys/simpler docs/dfx and simpler_setup/tools/{swimlane_converter,critical_path}.py.
#pragma once

#include <filesystem>
#include <vector>

#include "traces/analyse/accounting.h"
#include "traces/record/recording.h"

namespace ptosim {

// Returns the files. Fails with DiagnosticError (I40).
std::vector<std::filesystem::path> write_chip_swimlane(const Recording& recording,
                                                       const std::filesystem::path& folder);

}  // namespace ptosim
