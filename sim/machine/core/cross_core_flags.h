// Flags of a core that other cores signal: 4-bit counters, numbered as in FlagEvent. An arriving signal increments its
// counter. A CROSS_WAIT or INTRA_WAIT holds while the counter is 0, and decrements it.
#pragma once

#include <array>
#include <span>

#include "sim/machine/core/core_context.h"

namespace ptosim {

// A signal under way, and the last signal that a flag has received.
struct CrossCoreSignal {
    CoreId from;
    Pipe pipe = Pipe::kS;
    uint64_t sequence = 0;  // number of the instruction
    SourceLocation location;
    FifoSignal fifo = FifoSignal::kNone;
};

class CrossCoreFlags {
 public:
    static constexpr unsigned kLimit = 15;  // of a 4-bit counter

    explicit CrossCoreFlags(CoreContext& core) : core_{core}, arrived_{core.lane} {}

    struct Flag {
        unsigned count = 0;
        bool waited_for = false;  // in this launch
        CrossCoreSignal last;
    };
    // The flag that a CROSS_WAIT or INTRA_WAIT names.
    const Flag& of(const Instruction& wait) const { return flags_[index(wait)]; }
    // A signal has arrived. If its counter is full, it is reported (C02) and lost.
    void receive(unsigned id, const CrossCoreSignal& signal);
    // Counts the flag down after a wait has passed.
    void take(const Instruction& wait, uint64_t sequence);
    // Flags by number; flags of INTRA_WAIT follow from kIntraBlockIds on.
    std::span<const Flag> flags() const { return flags_; }
    static unsigned index(const Instruction& wait) {
        return wait.attributes.event_id +
               (wait.opcode == Opcode::kINTRA_WAIT ? unsigned{kIntraBlockIds} : 0u);
    }
    // Notified when a signal has arrived.
    Wakeup& arrived() { return arrived_; }
    void clear() { flags_ = {}; }

 private:
    CoreContext& core_;
    std::array<Flag, 2 * kIntraBlockIds> flags_;
    Wakeup arrived_;
};

}  // namespace ptosim
