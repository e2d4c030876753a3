#include "traces/analyse/sampling.h"

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

// Draws short slices together if they begin from `alone_to` on and fit into one group.
void draw(const std::vector<CoreLanes>& lanes, Cycle wide, Sampling& sampling) {
    sampling.instructions = sampling.waits = 0;
    for (size_t core = 0; core < lanes.size(); ++core)
        for (size_t pipe = 0; pipe < kPipeCount; ++pipe) {
            std::vector<Drawn>& to = sampling.lanes[core][pipe];
            to.clear();
            bool grouping = false;
            for (const Slice& slice : lanes[core][pipe]) {
                const bool narrow =
                    slice.end - slice.begin <= sampling.up_to && slice.begin >= sampling.alone_to;
                if (narrow && grouping && slice.end - to.back().slice.begin <= wide)
                    add(to.back(), slice);
                else
                    to.push_back(drawn(slice));
                grouping = narrow;
            }
            for (const Drawn& d : to)
                if (d.several()) {
                    sampling.instructions += d.instructions;
                    sampling.waits += d.waits;
                }
        }
}

// The cycle before which at most `count` slices begin.
Cycle begin_of(const std::vector<CoreLanes>& lanes, size_t count) {
    std::vector<Cycle> begins;
    for (const CoreLanes& core : lanes)
        for (const Lane& lane : core)
            for (const Slice& slice : lane) begins.push_back(slice.begin);
    const auto at = begins.begin() + static_cast<ptrdiff_t>(std::min(count, begins.size() - 1));
    std::nth_element(begins.begin(), at, begins.end());
    return *at;
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
    draw(lanes, wide, result);
    // Most kernels do the same over and over: few slices are longer than the others. The rest of
    // the limit shows the begin of the run without groups.
    size_t shown = used;  // a group that the begin parts is drawn as two
    for (const DrawnLanes& core : result.lanes)
        for (const std::vector<Drawn>& lane : core) shown += lane.size();
    if (shown < limit) {
        result.alone_to = begin_of(lanes, limit - shown);
        draw(lanes, wide, result);
    }
    return result;
}

}  // namespace ptosim
