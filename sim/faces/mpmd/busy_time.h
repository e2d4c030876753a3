// Time during which at least one of several activities was under way.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/machine/event/cycle.h"

namespace ptosim::mpmd {

class BusyTime {
 public:
    // Must be called in the order of the ends.
    void add(Cycle begin, Cycle end) {
        while (!times_.empty() && times_.back().second >= begin) {
            begin = std::min(begin, times_.back().first);
            times_.pop_back();
        }
        times_.emplace_back(begin, end);
    }
    // The time after `since`.
    Cycle total(Cycle since) const {
        Cycle sum = 0;
        for (const auto& [begin, end] : times_)
            if (end > since) sum += end - std::max(begin, since);
        return sum;
    }
    void clear() { times_.clear(); }

 private:
    std::vector<std::pair<Cycle, Cycle>> times_;  // disjoint, ascending
};

}  // namespace ptosim::mpmd
