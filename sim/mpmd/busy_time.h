// For how long at least one of several things went on.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/event/cycle.h"

namespace ptosim::mpmd {

class BusyTime {
 public:
    // In the order of their ends.
    void add(Cycle begin, Cycle end) {
        while (!times_.empty() && times_.back().second >= begin) {
            begin = std::min(begin, times_.back().first);
            times_.pop_back();
        }
        times_.emplace_back(begin, end);
    }
    // Of what lies behind `since`.
    Cycle total(Cycle since) const {
        Cycle sum = 0;
        for (const auto& [begin, end] : times_)
            if (end > since) sum += end - std::max(begin, since);
        return sum;
    }
    void clear() { times_.clear(); }

 private:
    std::vector<std::pair<Cycle, Cycle>> times_;  // apart, ascending
};

}  // namespace ptosim::mpmd
