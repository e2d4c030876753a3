// Other simulations with which this one shares its clock. Their effects arrive from outside.
#pragma once

#include <limits>

#include "sim/machine/event/cycle.h"

namespace ptosim {

class Neighbours {
 public:
    static constexpr Cycle kNever = std::numeric_limits<Cycle>::max();
    virtual ~Neighbours() = default;

    // The clock is about to move to `next`, the time of the next event (kNever: there is none). Waits until nothing
    // from outside can arrive before that. Returns `next`, or the earlier time of an arrival; kNever: the run ends.
    virtual Cycle await(Cycle next) = 0;
    // Everything that arrives at this time takes effect, before any actor of the cycle.
    virtual void act(Cycle now) = 0;
};

}  // namespace ptosim
