// Analysis of a sweep's results: the points of the Pareto front, the factors that a result depends on, and each point's
// distance from the bound.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/faces/sweep/store.h"

namespace ptosim::sweep {

// Lower bounds on a point's cycles, from its work (docs/running.md).
struct Bounds {
    uint64_t compute = 0;    // its products at the peak of all cubes
    uint64_t bandwidth = 0;  // its bytes through global memory at the shared rates
    uint64_t occupancy = 0;  // the busiest pipe of any core
    uint64_t roofline() const { return std::max(compute, bandwidth); }
};
std::optional<Bounds> bounds_of(const Row& row);
// Error bound of its time in per cent (docs/models.md); 0: unknown.
double range_percent_of(const Row& row);

// A factor of one kernel: the effect of changing it alone.
struct Sensitivity {
    std::string kernel;
    std::string factor;
    size_t comparisons = 0;  // combinations of the other factors with two or more results
    double median = 1;       // slowest / fastest time over the factor's values
    double largest = 1;
    std::string best;  // the value that is most often the fastest
};

class Analysis {
 public:
    explicit Analysis(std::vector<Row> rows);

    const std::vector<Row>& rows() const { return rows_; }
    // Names of coordinates with more than one value, in the plan's order; "kernel" first.
    const std::vector<std::string>& factors() const { return factors_; }
    const std::vector<std::string>& kernels() const { return kernels_; }
    // The points of each chip separately, if there are several chips, because the effect of a value on one chip does
    // not apply to another.
    std::vector<std::pair<std::string, Analysis>> by_chip() const;
    // Indexes of rows that no other row of the same kernel beats in both time and on-chip bytes, by bytes.
    std::vector<size_t> pareto(const std::string& kernel) const;
    // The factor with the largest effect first.
    std::vector<Sensitivity> sensitivities() const;
    // For a value of a factor, the fastest time in microseconds over the other factors.
    struct Best {
        std::string value;
        double time_us = 0;
    };
    std::vector<Best> best_by(const std::string& kernel, const std::string& factor) const;
    // Pairs of chip parameters both of which change the fastest time of a kernel.
    std::vector<std::pair<std::string, std::string>> pairs(const std::string& kernel) const;
    // For each value of `down` and each of `across`, the fastest time over the other factors; 0 if no point has one.
    struct Grid {
        std::vector<std::string> down, across;
        std::vector<std::vector<double>> time_us;  // by down, then across
    };
    Grid best_by(const std::string& kernel, const std::string& down,
                 const std::string& across) const;

 private:
    bool matters(const std::string& kernel, const std::string& factor) const;
    std::vector<std::string> values_of(const std::string& kernel, const std::string& factor) const;

    std::vector<Row> rows_;
    std::vector<std::string> factors_, kernels_;
};

// A coordinate as text; empty if the row has none of that name.
std::string coordinate(const Row& row, const std::string& factor);

}  // namespace ptosim::sweep
