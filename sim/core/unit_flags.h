// The unit flags of L0C, by which M and FIX hand products over without the kernel's flags.
//
// Every 512 bytes of L0C have one. A product of phase `final` sets them as it writes the last of
// its units, a fix pipe operation of phase `final` clears them as it reads; either, of phase
// `partial` or `final`, waits for each unit before it touches it. So FIX follows M unit by unit,
// and the next product into the same place follows FIX.
//
// Here each of them is one instruction that starts and ends: FIX starts as late as needed
// not to read units before they are written, and a product that would overwrite units which
// are not read yet ends one unit after they are. Their data take effect in that order.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/instruction.h"
#include "sim/event/event_queue.h"

namespace ptosim {

inline constexpr uint64_t kUnitBytes = 512;

// What of L0C an instruction with a phase writes (M) or reads (FIX).
struct UnitRange {
    uint64_t begin = 0, end = 0;
    uint64_t units() const { return (end - begin + kUnitBytes - 1) / kUnitBytes; }
    bool meets(const UnitRange& other) const { return begin < other.end && other.begin < end; }
};
// Empty for instructions without a phase.
UnitRange unit_range(const Instruction& instruction);

class UnitFlags {
 public:
    // A product whose units have been set, or are being set.
    struct Product {
        UnitRange range;
        uint64_t sequence = 0;
        Cycle first = 0;     // when its first unit is there
        Cycle last = 0;      // when its last one is, as far as is known
        bool ended = false;  // M has gone on
        Cycle complete = 0;  // if it has: when its data takes effect
        enum class Reading : uint8_t { kNot, kBegun, kEnded } reading = Reading::kNot;
        uint64_t reader = 0;        // the sequence number of what reads it
        Cycle reader_complete = 0;  // if it has ended: when the reader's data takes effect
    };

    explicit UnitFlags(EventQueue& event_queue) : changed_{event_queue} {}

    // Notified whenever an answer may have changed.
    Wakeup& changed() { return changed_; }

    // A product there that nothing has begun to read: what FIX may read, and what keeps M from the
    // next one.
    const Product* unread(const UnitRange& range) const;
    // M: what keeps a product that has started from ending:
    // another product at the same bytes that is still being read.
    const Product* being_read(const UnitRange& range, uint64_t sequence) const;
    // It has started: sets its units from `first` to `last`.
    void begin(const UnitRange& range, uint64_t sequence, Cycle first, Cycle last);
    // A product with a phase ends: its data takes effect at the cycle that this returns, `complete`
    // or after what was read there before.
    Cycle end(const UnitRange& range, uint64_t sequence, Cycle complete);

    // FIX, of phase `final`: what is unread there is being read from now on, until it has been
    // read.
    void begin_reading(const UnitRange& range, uint64_t reader);
    // Whether what FIX reads has ended; if so, its data has taken effect at `complete`.
    bool ended(const UnitRange& range, bool final, Cycle& complete) const;
    void end_reading(const UnitRange& range, Cycle complete);

    // A launch begins with no unit flag set.
    void clear() { products_.clear(); }

 private:
    std::vector<Product> products_;
    Wakeup changed_;
};

}  // namespace ptosim
