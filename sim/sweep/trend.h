// How the points of a plan have changed from one labelled run to the next.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/sweep/store.h"

namespace ptosim::sweep {

class Trend {
 public:
    explicit Trend(std::vector<LabelledRun> runs);

    struct Line {                       // of one point
        std::string name;               // its coordinates that differ between points
        std::vector<uint64_t> cycles;   // by run; 0: it has none
        uint64_t last = 0, before = 0;  // of the last run, and the nearest one before that has any
        uint64_t best = 0;              // over all runs

        // Of the last run against the one before; 0 if there is none.
        double change() const;
    };

    const std::vector<LabelledRun>& runs() const { return runs_; }
    // Those that have become slower since the run before by the largest share first.
    const std::vector<Line>& lines() const { return lines_; }
    bool empty() const { return runs_.empty(); }
    // For each run, the geometric mean over the points that it shares with the first one of cycles
    // as a ratio to those; 0: it shares none.
    std::vector<double> means() const;

 private:
    std::vector<LabelledRun> runs_;
    std::vector<Line> lines_;
};

// The means of all runs and the lines of the points, as an SVG picture.
std::string trend_svg(const Trend& trend);
// One line, so wide.
std::string spark_svg(const Trend::Line& line, unsigned width);

}  // namespace ptosim::sweep
