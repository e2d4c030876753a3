// Owner of each cycle of a lane.
//
// A pipe does one thing at a time. Its intervals (instructions, waits, the scalar unit's run) are
// put on one line here, so that totals add up to the duration and drawings never overlap, whatever
// the machine reports. The totals and the drawings use this one rule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/machine/observe/observer.h"

namespace ptosim {

// Activity of a lane in an interval. If intervals overlap, the first of these wins.
enum class Activity : uint8_t {
    kWork,  // an instruction that computes or transfers
    kWait,  // the next instruction waits; it may be a sync instruction already under way
    kSync,  // a sync instruction
    kRun,   // S only: a block runs on the core, so its scalar unit issues and computes addresses
};

struct Interval {
    Cycle begin = 0;
    Cycle end = 0;  // not included
    Activity activity = Activity::kWork;
    uint32_t tag = 0;  // the caller's

    // True if this one owns the cycles that it shares with `other`.
    bool beats(const Interval& other) const {
        if (activity != other.activity) return activity < other.activity;
        return begin != other.begin ? begin < other.begin : tag < other.tag;
    }
};

// The order in which sweep_intervals() goes through intervals.
inline bool comes_before(const Interval& a, const Interval& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.beats(b);
}

// Calls piece(begin, end, interval) for each stretch of [from, to) and the interval that owns it,
// in order of time. Stretches do not overlap. Sorts `intervals`. `active` is scratch space of the
// caller, so that many calls allocate once.
template <class Piece>
void sweep_intervals(std::vector<Interval>& intervals, Cycle from, Cycle to, Piece&& piece,
                     std::vector<const Interval*>& active) {
    if (!std::is_sorted(intervals.begin(), intervals.end(), comes_before))
        std::sort(intervals.begin(), intervals.end(), comes_before);  // allocates nothing
    active.clear();
    const Interval* owner = nullptr;  // of the stretch being built, [begin, now)
    Cycle begin = from;
    size_t next = 0;
    for (Cycle now = from; now < to;) {
        // An interval that overlaps nothing owns its cycles.
        for (; active.empty() && owner == nullptr && next < intervals.size(); ++next) {
            const Interval& alone = intervals[next];
            if (alone.begin >= to) break;
            if (next + 1 < intervals.size() && intervals[next + 1].begin < alone.end) break;
            const Cycle first = std::max(alone.begin, now), end = std::min(alone.end, to);
            if (first >= end) continue;
            piece(first, end, alone);
            now = end;
        }
        for (; next < intervals.size() && intervals[next].begin <= now; ++next)
            if (intervals[next].end > now) active.push_back(&intervals[next]);
        std::erase_if(active, [now](const Interval* interval) { return interval->end <= now; });
        const Interval* best = nullptr;
        for (const Interval* interval : active)
            if (best == nullptr || interval->beats(*best)) best = interval;
        if (best != owner) {
            if (owner != nullptr) piece(begin, now, *owner);
            owner = best;
            begin = now;
        }
        Cycle until = owner == nullptr ? to : std::min(owner->end, to);
        if (next < intervals.size()) until = std::min(until, intervals[next].begin);
        now = until;
    }
    if (owner != nullptr) piece(begin, to, *owner);
}

}  // namespace ptosim
