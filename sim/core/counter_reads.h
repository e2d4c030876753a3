// Reads of the system counter that follow each other with nothing between them that takes time: the
// kernel waits for a moment, and asks again and again whether it has come.
#pragma once

#include <algorithm>

#include "isa/core/kernel.h"
#include "sim/event/cycle.h"

namespace ptosim {

class CounterReads {
 public:
    // Cycles after which a read that is asked for at `now` is answered. A few in a row are answered
    // at once. Each further one takes until the next tick of the counter, or if the kernel has
    // waited for long already, a share of that time: a second is waited for in some thousand reads,
    // and exceeded by one part in 256 at most.
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
