// Other simulations that this one's clock is one with: what they do reaches it from outside.
#pragma once

#include <limits>

#include "sim/event/cycle.h"

namespace ptosim {

class Neighbours {
 public:
    static constexpr Cycle kNever = std::numeric_limits<Cycle>::max();
    virtual ~Neighbours() = default;

    // The clock is about to move to `next`, the time of the next event here (kNever: there is none). Waits until
    // nothing from outside can come before that. Returns `next`, or the earlier time of something that comes; kNever:
    // the run ends.
    virtual Cycle await(Cycle next) = 0;
    // All that comes at this time takes effect, before any actor of the cycle.
    virtual void act(Cycle now) = 0;
};

}  // namespace ptosim
