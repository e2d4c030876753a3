#include "traces/sampling.h"

#include <algorithm>

namespace ptosim {

Drawn drawn(const Slice& slice) {
    Drawn result;
    result.slice = slice;
    const Cycle cycles = slice.end - slice.begin;
    if (slice.activity == Activity::kWait) {
        result.waits = 1;
        result.wait = cycles;
    } else {
        result.instructions = slice.activity != Activity::kRun;
        result.work = cycles;
    }
    return result;
}

namespace {

// The length up to which slices are drawn together so that at most `most` are left over.
Cycle threshold(const std::vector<CoreLanes>& lanes, size_t most) {
    std::vector<Cycle> lengths;
    for (const CoreLanes& core : lanes)
        for (const Lane& lane : core)
            for (const Slice& slice : lane) lengths.push_back(slice.end - slice.begin);
    const auto at = lengths.begin() + static_cast<ptrdiff_t>(lengths.size() - 1 - most);
    std::nth_element(lengths.begin(), at, lengths.end());
    return *at;
}

void add(Drawn& group, const Slice& slice) {
    const Drawn one = drawn(slice);
    group.slice.end = std::max(group.slice.end, slice.end);
    ++group.slices;
    group.instructions += one.instructions;
    group.waits += one.waits;
    group.work += one.work;
    group.wait += one.wait;
}

}  // namespace

Sampling sample(const Recording& recording, const std::vector<CoreLanes>& lanes, size_t limit) {
    Sampling result;
    size_t total = 0, used = 0;
    for (const CoreLanes& core : lanes)
        for (const Lane& lane : core) {
            total += lane.size();
            used += !lane.empty();
        }
    if (limit == 0 || total <= limit) return result;
    result.lanes.resize(lanes.size());
    // A third for the longest, of which each may part two groups, and a third for groups that have
    // become too wide; two neighbours among those are wider than one may be.
    const size_t longest = limit / 3;
    result.up_to = std::max<Cycle>(1, threshold(lanes, longest));
    const uint64_t groups = std::max<uint64_t>(1, limit / 6 / std::max<size_t>(1, used));
    const Cycle wide = (recording.end - recording.begin) / groups + 1;
    for (size_t core = 0; core < lanes.size(); ++core)
        for (size_t pipe = 0; pipe < kPipeCount; ++pipe) {
            std::vector<Drawn>& to = result.lanes[core][pipe];
            bool grouping = false;
            for (const Slice& slice : lanes[core][pipe]) {
                const bool narrow = slice.end - slice.begin <= result.up_to;
                if (narrow && grouping && slice.end - to.back().slice.begin <= wide)
                    add(to.back(), slice);
                else
                    to.push_back(drawn(slice));
                grouping = narrow;
            }
            for (const Drawn& d : to)
                if (d.several()) {
                    result.instructions += d.instructions;
                    result.waits += d.waits;
                }
        }
    return result;
}

}  // namespace ptosim
