// swimlane.svg and swimlane.png: a swimlane for documents, the same layout in both.
#pragma once

#include <filesystem>

#include "traces/analyse/analysis.h"

namespace ptosim {

struct PictureOptions {
    // Cores to draw; none: the cluster on which the critical path ends.
    std::vector<CoreId> cores;
    unsigned width = 1400;  // pixels
};

// Fail with DiagnosticError (I40).
void write_svg(const Recording& recording, const Analysis& analysis,
               const std::filesystem::path& path, const PictureOptions& options = {});
// The text of a PNG is drawn with the fonts of the host.
void write_png(const Recording& recording, const Analysis& analysis,
               const std::filesystem::path& path, const PictureOptions& options = {});
// Two runs, one under the other, on one scale of time from their begins.
void write_pair_svg(const Recording& first, const std::string& first_name, const Recording& second,
                    const std::string& second_name, const std::filesystem::path& path,
                    const PictureOptions& options = {});

}  // namespace ptosim
