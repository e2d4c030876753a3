// Synchronisation that orders nothing which was not ordered already.
//
// A wait is useless if, each time, its pipe knew before all that it learnt. What can go is a flag
// with all its ends: the waits, the sets that they have taken, the other waits for these sets, and
// so on. It is wasted if all those waits are useless. A vector barrier is wasted if every pair of
// dependent instructions around it has another barrier between them. Each could go alone; of two
// that could, often only one can.
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
    void flag_wait(const FlagEvent& event, SourceLocation set, bool useful);
    // A barrier of V, at its start; `tick` is the first tick behind it.
    void barrier(uint16_t core, Tick tick, SourceLocation location);
    // An instruction of V depends on an earlier one of V.
    void dependence(const Stamp& earlier, const Stamp& later);
    // Cycles that a wait or barrier held up its pipe.
    void block(const BlockEvent& event);
    void unblock(const BlockEvent& event);

    struct Entry {
        bool barrier = false;
        std::vector<SourceLocation> places;  // of the barrier, or of the waits
        std::vector<SourceLocation> sets;
        uint64_t count = 0;  // how often it was passed
        Cycle cycles = 0;    // that it held up its pipes
    };
    std::vector<Entry> list() const;

 private:
    using Place = std::array<uint32_t, 3>;  // file, line, column
    struct Site {
        bool barrier = false;
        bool set = false;
        bool useful = false;
        uint64_t count = 0;
        Cycle cycles = 0;
        Place flag{};  // another end of the same flag; itself: the one that stands for all
    };
    static Place place(SourceLocation location) {
        return {location.file, location.line, location.column};
    }
    Site& site(SourceLocation location);
    Place flag_of(Place end) const;

    std::map<Place, Site> sites_;
    // By core: the barriers of V with the first tick behind each.
    std::vector<std::deque<std::pair<Tick, SourceLocation>>> barriers_;
    std::map<std::array<uint32_t, 3>, Cycle> since_;  // by core type, index and pipe
};

}  // namespace ptosim::check
