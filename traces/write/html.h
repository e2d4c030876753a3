// report.html: one page that opens from disk with no network (traces/FORMATS.md).
#pragma once

#include <filesystem>

#include "traces/analyse/analysis.h"

namespace ptosim {

// Fails with DiagnosticError (I40).
void write_html(const Recording& recording, const Analysis& analysis,
                const std::filesystem::path& path);

}  // namespace ptosim
