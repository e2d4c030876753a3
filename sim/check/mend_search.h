// Mends for findings about flags and races, derived from the findings and the instructions issued.
#pragma once

#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/check/issue_log.h"
#include "sim/check/mend.h"

namespace ptosim::check {

// In the order in which they are to be tried, each once. `sources`: of the kernel.
std::vector<Mend> possible_mends(const std::vector<Diagnostic>& findings, const IssueLog& log,
                                 const SourceMap& sources);

// The id of a flag operation as its line of .pto text has it: "%slot" or "<EVENT_ID1>"; empty for
// other lines.
std::string id_of_line(std::string_view line);

}  // namespace ptosim::check
