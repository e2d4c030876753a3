// The memory of other chips, as ranges of a chip's own addresses. Their bytes here are a copy that holds only data that
// has been loaded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "isa/core/diagnostic.h"
#include "isa/core/execution.h"
#include "sim/event/event_queue.h"

namespace ptosim {

class RemoteMemory {
 public:
    virtual ~RemoteMemory() = default;

    // The cause that ended a run, if it was neither a kernel nor this chip; null if there is none.
    virtual const Diagnostic* failure() const = 0;

    virtual bool holds(uint64_t address) const = 0;
    // A view that begins in a window and reaches beyond it; if that is the chip's own window, into another one.
    struct Overrun {
        unsigned chip = 0, owner = 0;  // the chip with this memory, and that of the window
        uint64_t bytes = 0;            // of the window
        int64_t begin = 0, end = 0;    // of the view, relative to the window
        uint64_t outside() const {
            return static_cast<uint64_t>(std::max({int64_t{0}, -begin, end - static_cast<int64_t>(bytes)}));
        }
    };
    virtual std::optional<Overrun> overrun(const GlobalView& view) const = 0;
    // Cycles to the chip that has this address.
    virtual Cycle latency(uint64_t address) const = 0;

    // Loads the bytes of a view into the copy. `done` is notified when the last one has arrived, at the earliest
    // `least` cycles from now.
    virtual void load(const GlobalView& view, Cycle least, Event& done) = 0;
    // Sends bytes to this address. `done` is notified when the last one has left, at the earliest `least` cycles from
    // now.
    virtual void begin_store(uint64_t address, uint64_t bytes, Cycle least, Event& done) = 0;
    // Applies a store there, a latency and `after` cycles from now, as the storing instruction does.
    virtual void store(const Execution& execution, Cycle after) = 0;

    // Writes an element or a line there after a latency.
    virtual void write(uint64_t address, std::span<const std::byte> bytes) = 0;
    // `before` is set when `done` is notified.
    virtual void combine(uint64_t address, DType type, AtomicMode mode, uint64_t bits, uint64_t& before,
                         Event& done) = 0;
};

}  // namespace ptosim
