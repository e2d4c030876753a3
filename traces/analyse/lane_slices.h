// Slices drawn on each lane. They never overlap, by the rule of traces/analyse/timeline.h.
#pragma once

#include <array>
#include <vector>

#include "traces/analyse/timeline.h"
#include "traces/record/recording.h"

namespace ptosim {

struct Slice {
    Cycle begin = 0;
    Cycle end = 0;  // equal to begin for an instruction that took no time
    // kWork, kSync: an instruction; kWait: a wait; kRun: the scalar unit between its waits.
    Activity activity = Activity::kWork;
    uint32_t index = 0;  // into Recording::instructions, ::waits or ::runs
};

using Lane = std::vector<Slice>;                                 // in order of time
using CoreLanes = std::array<Lane, kPipeCount>;                  // by pipe
std::vector<CoreLanes> lane_slices(const Recording& recording);  // by index of the core

// Both ends of an arrow from the set of a flag to the end of the wait for it: points inside slices,
// because viewers tie an arrow to the slice under it and drop arrows without one.
struct Arrow {
    bool drawn = false;
    Cycle from = 0;
    Cycle to = 0;
};
// `margin`: how many cycles before the end of a slice a point is safely inside it.
Arrow find_arrow(const Recording& recording, const std::vector<CoreLanes>& lanes,
                 const FlagRecord& flag, Cycle margin);

}  // namespace ptosim
