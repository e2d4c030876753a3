// report.md and report.json (docs/formats.md).
#pragma once

#include <string>

#include "traces/analyse/analysis.h"

namespace ptosim {

std::string report_markdown(const Recording& recording, const Analysis& analysis);
// `indent` is that of JsonText.
std::string report_json(const Recording& recording, const Analysis& analysis, int indent = 1);

}  // namespace ptosim
