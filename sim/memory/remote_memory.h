// The memory of other chips, as a chip sees it: ranges of its own addresses, whose bytes here are a copy that holds
// only what has been loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "isa/core/diagnostic.h"
#include "isa/core/execution.h"
#include "sim/event/event_queue.h"

namespace ptosim {

class RemoteMemory {
 public:
    virtual ~RemoteMemory() = default;

    // What has ended a run, if it was neither a kernel nor this chip; null: nothing.
    virtual const Diagnostic* failure() const = 0;

    virtual bool holds(uint64_t address) const = 0;
    // Cycles from one chip to the one that has this address.
    virtual Cycle latency(uint64_t address) const = 0;

    // Loads the bytes of a view into the copy. `done` is notified when the last one has come, and no earlier than
    // `least` cycles from now.
    virtual void load(const GlobalView& view, Cycle least, Event& done) = 0;
    // So many bytes leave for this address; `done` as above, when the last one has left.
    virtual void begin_store(uint64_t address, uint64_t bytes, Cycle least, Event& done) = 0;
    // They take effect there, a latency and `after` cycles from now: as the instruction does that stores them.
    virtual void store(const Execution& execution, Cycle after) = 0;

    // An element, or a line: takes effect there after a latency.
    virtual void write(uint64_t address, std::span<const std::byte> bytes) = 0;
    // `before` is set when `done` is notified.
    virtual void combine(uint64_t address, DType type, AtomicMode mode, uint64_t bits, uint64_t& before,
                         Event& done) = 0;
};

}  // namespace ptosim
