// Consecutive reads of the system counter with nothing between them that takes time: the kernel polls the counter until
// a moment comes.
#pragma once

#include <algorithm>

#include "isa/core/kernel.h"
#include "sim/machine/event/cycle.h"

namespace ptosim {

class CounterReads {
 public:
    // Cycles from a read at `now` to its answer. The first reads in a row are answered at once. Each further one waits
    // for the next tick of the counter or, if the kernel has already waited long, for a share of that time: waiting for
    // a second takes some thousand reads and ends at most one part in 256 too late.
    Cycle delay(Cycle now, Cycle tick) {
        if (now != last_) begin_ = now, reads_ = 0;
        const Cycle delay = reads_++ < kAtOnce ? 0 : std::max(tick, (now - begin_) / kShare);
        last_ = now + delay;
        return delay;
    }

 private:
    static constexpr unsigned kAtOnce = 16;
    static constexpr Cycle kShare = 256;

    Cycle begin_ = 0, last_ = 0;
    unsigned reads_ = 0;
};

}  // namespace ptosim
