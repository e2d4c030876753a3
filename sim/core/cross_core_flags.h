// The flags of a core that other cores signal: 4-bit counters, numbered as in FlagEvent. A signal
// counts one up when it arrives; a CROSS_WAIT or INTRA_WAIT holds while it is 0 and counts it down.
#pragma once

#include <array>

#include "sim/core/core_context.h"

namespace ptosim {

class CrossCoreFlags {
 public:
    static constexpr unsigned kLimit = 15;  // of a 4-bit counter

    explicit CrossCoreFlags(CoreContext& core) : core_{core}, arrived_{core.event_queue} {}

    struct Flag {
        unsigned count = 0;
        // Of the last signal: who sent it, on which pipe, and the number of its instruction.
        CoreId from;
        Pipe pipe = Pipe::kS;
        uint64_t sequence = 0;
    };
    // The flag that a CROSS_WAIT or INTRA_WAIT names.
    const Flag& of(const Instruction& wait) const { return flags_[index(wait)]; }
    // A signal has arrived. One that the counter has no room for is reported (C02) and lost.
    void receive(unsigned id, CoreId from, Pipe pipe, uint64_t sequence);
    // A wait passes: the flag counts down.
    void take(const Instruction& wait, uint64_t sequence);
    // Notified when a signal has arrived.
    Wakeup& arrived() { return arrived_; }
    void clear() { flags_ = {}; }

 private:
    static unsigned index(const Instruction& wait) {
        return wait.attributes.event_id +
               (wait.opcode == Opcode::kINTRA_WAIT ? unsigned{kIntraBlockIds} : 0u);
    }

    CoreContext& core_;
    std::array<Flag, 2 * kIntraBlockIds> flags_;
    Wakeup arrived_;
};

}  // namespace ptosim
