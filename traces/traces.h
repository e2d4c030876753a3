// From a run to files, in one call.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "traces/analyse/accounting.h"
#include "traces/analyse/analysis.h"
#include "traces/analyse/summary_observer.h"
#include "traces/record/recorder.h"
#include "traces/record/recording.h"
#include "traces/record/recording_file.h"
#include "traces/write/chrome_trace.h"
#include "traces/write/summary.h"

namespace ptosim {

// The files that are made from a recording, by name: "html", "report", "agent", "chrome", "lanes",
// "summary", "insight", "swimlane", "svg", "png" (docs/formats.md).
struct TraceFormat {
    std::string_view name;
    std::string_view files;    // what it writes into the folder
    std::string_view summary;  // for people
};
std::span<const TraceFormat> trace_formats();
inline constexpr std::string_view kDefaultFormats = "html,report,agent,chrome";

// The names in "chrome,html"; "all" is all of them and "none" none. Fails with DiagnosticError
// (I42).
std::vector<std::string_view> parse_formats(std::string_view list);

// Makes `folder` and writes the files of these formats into it. Returns the paths of the written
// files. Fails with DiagnosticError (I40); unfinished files are removed. `most_slices` is passed to
// write_chrome_trace(), whose omissions go to `notes`; `analysis` is the analysis of the recording,
// if it has been made already.
std::vector<std::filesystem::path> write_traces(const Recording& recording,
                                                const std::filesystem::path& folder,
                                                std::string_view formats = kDefaultFormats,
                                                size_t most_slices = kMostSlices,
                                                const Analysis* analysis = nullptr,
                                                std::vector<std::string>* notes = nullptr);

}  // namespace ptosim
