// Synchronisation that orders nothing which was not ordered already.
//
// A wait is wasted if, each time, its pipe knew before all that it learnt; a vector barrier if
// every pair of dependent instructions around it has another barrier between them. Each could go
// alone; of two that could, often only one can.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <vector>

#include "sim/check/findings.h"
#include "sim/check/timelines.h"

namespace ptosim::check {

class Wasted {
 public:
    void launch(const LaunchEvent& event);
    void flag_wait(const FlagEvent& event, bool useful);
    // A barrier of V, at its start; `tick` is the first tick behind it.
    void barrier(uint16_t core, Tick tick, SourceLocation location);
    // An instruction of V depends on an earlier one of V.
    void dependence(const Stamp& earlier, const Stamp& later);
    // Cycles that a wait or barrier held up its pipe.
    void block(const BlockEvent& event);
    void unblock(const BlockEvent& event);

    struct Entry {
        SourceLocation location;
        bool barrier = false;
        uint64_t count = 0;
        Cycle cycles = 0;
    };
    std::vector<Entry> list() const;

 private:
    struct Site {
        bool barrier = false;
        bool useful = false;
        uint64_t count = 0;
        Cycle cycles = 0;
    };
    Site& site(SourceLocation location) {
        return sites_[{location.file, location.line, location.column}];
    }

    std::map<std::array<uint32_t, 3>, Site> sites_;
    // By core: the barriers of V with the first tick behind each.
    std::vector<std::deque<std::pair<Tick, SourceLocation>>> barriers_;
    std::map<std::array<uint32_t, 3>, Cycle> since_;  // by core type, index and pipe
};

}  // namespace ptosim::check
