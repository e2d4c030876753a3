// Changes of the points of a plan between labelled runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/faces/sweep/store.h"

namespace ptosim::sweep {

class Trend {
 public:
    explicit Trend(std::vector<LabelledRun> runs);

    struct Line {                       // one point
        std::string name;               // the coordinates in which points differ
        std::vector<uint64_t> cycles;   // by run; 0: none
        uint64_t last = 0, before = 0;  // in the last run, and in the last one before it that has the point
        uint64_t best = 0;              // over all runs

        // Change from the previous run to the last one; 0 if there is none.
        double change() const;
    };

    const std::vector<LabelledRun>& runs() const { return runs_; }
    // Points with the largest slowdown since the previous run first.
    const std::vector<Line>& lines() const { return lines_; }
    bool empty() const { return runs_.empty(); }
    // For each run, the geometric mean of its cycles relative to the first run, over the points that both have; 0:
    // there are none.
    std::vector<double> means() const;

 private:
    std::vector<LabelledRun> runs_;
    std::vector<Line> lines_;
};

// An SVG picture with the means of all runs and the lines of the points.
std::string trend_svg(const Trend& trend);
// One line as an SVG picture of this width.
std::string spark_svg(const Trend::Line& line, unsigned width);

}  // namespace ptosim::sweep
