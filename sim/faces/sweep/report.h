// A sweep's results in readable form: text, CSV, JSON, plots, one HTML page.
#pragma once

#include <string>

#include "sim/faces/sweep/sweep_analysis.h"
#include "sim/faces/sweep/trend.h"

namespace ptosim::sweep {

// Counts, the fastest point of each kernel, Pareto front, sensitivities.
std::string report_text(const std::string& title, const Analysis& analysis, const Trend& trend);
// The tables of changes with their reasons; empty if the plan has no changes.
std::string changes_text(const Analysis& analysis);
// One line for each point: coordinates, status, cycles, time_us, bounds, on-chip bytes.
std::string report_csv(const Analysis& analysis);
std::string report_json(const std::string& title, const Analysis& analysis, const Trend& trend);

// Draws plots into a folder with gnuplot, as NAME.png. Returns the names of the files. Throws DiagnosticError (I55) if
// gnuplot is missing or fails.
std::vector<std::string> write_plots(const Analysis& analysis, const std::string& folder);
// A self-contained page: the tables, and the plots as SVG.
std::string report_html(const std::string& title, const Analysis& analysis, const Trend& trend);

}  // namespace ptosim::sweep
