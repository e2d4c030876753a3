// Selection of the drawn slices if there are too many: the longest ones alone, neighbours among the
// others together.
#pragma once

#include <array>
#include <vector>

#include "traces/analyse/lane_slices.h"

namespace ptosim {

// One slice, or several neighbours that are drawn as one.
struct Drawn {
    Slice slice;  // of the first; begin and end are those of all
    uint32_t slices = 1;
    uint32_t instructions = 0;  // the others are waits, or the scalar unit between them
    uint32_t waits = 0;
    Cycle work = 0;  // cycles of them
    Cycle wait = 0;
    bool several() const { return slices > 1; }
};
Drawn drawn(const Slice& slice);  // alone
using DrawnLanes = std::array<std::vector<Drawn>, kPipeCount>;

struct Sampling {
    std::vector<DrawnLanes> lanes;  // by index of the core, in order of time; none if all are drawn
    // Contents of the slices that are drawn together:
    uint64_t instructions = 0;
    uint64_t waits = 0;
    Cycle up_to = 0;     // slices up to this length were candidates; 0: all are drawn
    Cycle alone_to = 0;  // what begins before is drawn alone
};

// At most `limit` of them, or all if it is 0.
Sampling sample(const Recording& recording, const std::vector<CoreLanes>& lanes, size_t limit);

}  // namespace ptosim
