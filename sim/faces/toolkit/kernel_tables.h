// Tables of one launch with the names and columns of the device's profiler.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "traces/record/recording.h"

namespace ptosim::toolkit {

// The part of a recording that belongs to one of its launches.
Recording part_of(const Recording& recording, size_t launch);

// Writes OpBasicInfo.csv, PipeUtilization.csv and L2Cache.csv for a recording of one launch, with the columns of
// Ascend/msopprof that the recording can fill. `chip` is the value of --soc-version for the run; empty: the
// environment's. The duration of the task is NA if neither is the chip of the launch, and it is not one of ptosim's.
// Throws DiagnosticError (I02, or the error of a chip).
void write_kernel_tables(const Recording& recording, const std::string& chip,
                         const std::filesystem::path& folder);

}  // namespace ptosim::toolkit
