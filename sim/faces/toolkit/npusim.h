// The vendor's chip simulator by its command lines: npusim, called cannsim in CANN before July 2026.
#pragma once

#include <string>
#include <vector>

namespace ptosim::toolkit {

// `record PROGRAM [OPTIONS]` runs a program with a recording of its launches and makes a folder
// cannsim_<time>_<letters> with cannsim.log (the program's output) and, with -g, the report. `report -e FOLDER` makes
// the report of an earlier run: report/trace_reports/trace_core<N>.json for chrome://tracing. Returns the program's
// exit code. Throws DiagnosticError: H04 for options and for a program without a launch; I02, I40.
int run_npusim(const std::vector<std::string>& words);

}  // namespace ptosim::toolkit
