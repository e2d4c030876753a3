// The search of kernel parameters at each point of a plan: a coarse grid, on a shorter problem if the kernel has one,
// then the best of them on the whole problem, then the neighbours of the best one until none is faster. Ties go to the
// earlier choice. Each step depends on stored results only, so that a search continues after a stop, and has the same
// steps with any launcher.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/faces/sweep/plan.h"

namespace ptosim::sweep {

// The cycles of a finished key, 0 if it failed; empty without a result.
using CyclesOf = std::function<std::optional<uint64_t>(const std::string& key)>;

class Search {
 public:
    // `point` is the kernel's own choice.
    Search(const Plan& plan, Point point, std::string program);

    // Points whose results the search needs next; empty if it has ended.
    std::vector<Point> next(const CyclesOf& cycles_of);
    // The best point so far; after the end, the result.
    const Point& best() const { return best_; }
    bool ended() const { return ended_; }

 private:
    struct Choice {
        std::vector<size_t> at;  // index of the value of each parameter; empty: the kernel's own
        Point whole;
    };
    Choice* choice(const std::vector<size_t>& at);
    std::vector<std::vector<size_t>> coarse_grid() const;
    std::vector<std::vector<size_t>> neighbours(const std::vector<size_t>& at) const;
    std::vector<size_t> place_of(const Choice& one) const;
    void note_excluded(const std::vector<size_t>& at);
    std::vector<const Choice*> selected(const CyclesOf& cycles_of, std::vector<Point>& missing);

    const Plan& plan_;
    std::string program_;
    std::vector<size_t> sizes_;
    std::vector<std::unique_ptr<Choice>> choices_;  // in the order in which they were first looked at
    Point best_;
    bool ended_ = false;
};

}  // namespace ptosim::sweep
