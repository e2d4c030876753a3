// Tables of one launch, by the names and columns of the device's profiler.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "traces/record/recording.h"

namespace ptosim::toolkit {

// A recording of one of its launches alone.
Recording part_of(const Recording& recording, size_t launch);

// Writes OpBasicInfo.csv, PipeUtilization.csv and L2Cache.csv of a recording of one launch: columns
// of Ascend/msopprof, those that the recording can fill. `chip` is what --soc-version has chosen
// for the run; empty: what the environment says. The duration of the task is NA if neither is the
// chip of the launch, and it is none of ours. Throws DiagnosticError (I02; what is wrong with a
// chip).
void write_kernel_tables(const Recording& recording, const std::string& chip,
                         const std::filesystem::path& folder);

}  // namespace ptosim::toolkit
