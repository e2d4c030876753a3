// Chips whose cores only poll for signals: after 20 ms without anything else they count as deadlocked.
#pragma once

#include "isa/core/diagnostic.h"
#include "sim/machine/event/cycle.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim {

struct PollLimit {
    // Cycles for which the cores may only poll.
    static Cycle most(const ChipModel& chip) { return chip.clock.value() / 50; }
    // Checked in the first cycle after each multiple of some cycles, so that the result does not depend on the host.
    static Cycle next_check(Cycle now) {
        constexpr Cycle kBetween = 1 << 20;
        return (now / kBetween + 1) * kBetween;
    }
    static Diagnostic deadlock(Cycle now) {
        Diagnostic d;
        d.code = "E05";
        d.category = Category::kDeadlock;
        d.message = "chips wait for each other: for 20 ms all cores have only polled for signals";
        d.hint = "a signal that is never sent, sent before it is cleared, or sent to another address";
        d.cycle = now;
        d.has_cycle = true;
        return d;
    }
};

}  // namespace ptosim
