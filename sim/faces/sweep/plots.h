// The plots of a sweep, as gnuplot programs.
#pragma once

#include <string>
#include <vector>

#include "sim/faces/sweep/sweep_analysis.h"

namespace ptosim::sweep {

struct Plot {
    std::string name;  // of its file
    std::string title;
    std::string program;  // for gnuplot, without terminal and output
};
std::vector<Plot> plots_of(const Analysis& analysis);

// Runs gnuplot with a terminal ("pngcairo size 900,560", "svg ...") into a file. Throws
// DiagnosticError (I55).
void draw(const Plot& plot, const std::string& terminal, const std::string& file);

}  // namespace ptosim::sweep
