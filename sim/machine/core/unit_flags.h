// The unit flags of L0C, by which M and FIX hand over products without the kernel's flags.
//
// Each 512 bytes of L0C have one flag. A product of phase `final` sets them as it writes its last values, a fix pipe
// operation of phase `final` clears them as it reads. An instruction of phase `partial` or `final` waits for each unit
// before it touches it. So FIX follows M unit by unit, and the next product into the same place follows FIX.
//
// In this model each of them is one instruction with a start and an end. FIX starts just late enough not to read units
// before they are written. A product that would overwrite units not yet read ends one unit after FIX has read them.
// Data take effect in that order.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/instruction.h"
#include "sim/machine/event/event_queue.h"

namespace ptosim {

inline constexpr uint64_t kUnitBytes = 512;

// Bytes of L0C that an instruction with a phase writes (M) or reads (FIX).
struct UnitRange {
    uint64_t begin = 0, end = 0;
    uint64_t units() const { return (end - begin + kUnitBytes - 1) / kUnitBytes; }
    bool meets(const UnitRange& other) const { return begin < other.end && other.begin < end; }
};
// Empty for instructions without a phase.
UnitRange unit_range(const Instruction& instruction);

class UnitFlags {
 public:
    // A product whose units are set or being set.
    struct Product {
        UnitRange range;
        uint64_t sequence = 0;
        SourceLocation where;
        bool earlier_launch = false;  // an earlier launch has left its units set
        Cycle first = 0;     // when its first unit is written
        Cycle last = 0;      // when its last unit is written, as far as known
        bool ended = false;  // M has gone on
        Cycle complete = 0;  // if ended: when its data takes effect
        enum class Reading : uint8_t { kNot, kBegun, kEnded } reading = Reading::kNot;
        uint64_t reader = 0;        // number of the instruction that reads it
        Cycle reader_complete = 0;  // if the reader has ended: when its data takes effect
    };

    explicit UnitFlags(Lane& lane) : changed_{lane} {}

    // Notified whenever a result of the queries below may have changed.
    Wakeup& changed() { return changed_; }

    // The product in this range that no instruction has begun to read: FIX may read it, and M must not overwrite it.
    // Null if none.
    const Product* unread(const UnitRange& range) const;
    // For M: another product at the same bytes that is still being read, so that this one cannot end yet. Null if none.
    const Product* being_read(const UnitRange& range, uint64_t sequence) const;
    // A product has started: sets its units from `first` to `last`.
    void begin(const UnitRange& range, uint64_t sequence, SourceLocation where, Cycle first, Cycle last);
    // A product ends. Returns the cycle at which its data takes effect: `complete`, or later if the previous product
    // there was read later.
    Cycle end(const UnitRange& range, uint64_t sequence, Cycle complete);

    // FIX of phase `final` starts: marks the unread product as being read, until end_reading().
    void begin_reading(const UnitRange& range, uint64_t reader);
    // For FIX: true if the product that it reads has ended. Then its data has taken effect at `complete`.
    bool ended(const UnitRange& range, bool final, Cycle& complete) const;
    void end_reading(const UnitRange& range, Cycle complete);

    // Products that have ended and that nothing has read: their units are set.
    std::vector<Product> unread() const;
    // A launch begins. Units that earlier ones have left set stay set.
    void begin_launch();

 private:
    std::vector<Product> products_;
    Wakeup changed_;
};

}  // namespace ptosim
