// Tables of one launch, by the names and columns of the device's profiler.
#pragma once

#include <cstddef>
#include <filesystem>

#include "traces/record/recording.h"

namespace ptosim::toolkit {

// A recording of one of its launches alone.
Recording part_of(const Recording& recording, size_t launch);

// Writes OpBasicInfo.csv, PipeUtilization.csv and L2Cache.csv of a recording of one launch: columns
// of Ascend/msopprof, those that the recording can fill. Throws DiagnosticError (I02).
void write_kernel_tables(const Recording& recording, const std::filesystem::path& folder);

}  // namespace ptosim::toolkit
