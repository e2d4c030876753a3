// The folder that MindStudio Insight opens as the result of an operator simulation: a trace of all
// cores and one of each, tables of instructions and lines, and visualize_data.bin.
//
// Field names, lanes, colours and the layout of visualize_data.bin follow the open-source writer
// (Ascend/msopprof csrc/op_profiling/{common,parse/data_visualizer}).
#pragma once

#include <filesystem>
#include <vector>

#include "traces/record/recording.h"

namespace ptosim {

// Writes `folder`/trace.json, visualize_data.bin and a folder per core. Returns the files. Fails
// with DiagnosticError (I40).
std::vector<std::filesystem::path> write_insight(const Recording& recording,
                                                 const std::filesystem::path& folder);

}  // namespace ptosim
