// The memory of other chips, as ranges of a chip's own addresses. Their bytes here are a copy that holds only data that
// has been loaded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/core/execution.h"
#include "sim/machine/event/event_queue.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {

// Bytes that a chip has sent to others, loads of others included, and for how long they use each of its ports and the
// whole rate of all of them, in thousandths of cycles.
struct LinkCounts {
    uint64_t sent_bytes = 0;
    std::vector<Milli> ports;
    Milli together = 0;

    Cycle busiest() const {
        const auto most = std::max_element(ports.begin(), ports.end());
        return std::max(together, most == ports.end() ? 0 : *most) / 1000;
    }
};

class RemoteMemory {
 public:
    virtual ~RemoteMemory() = default;

    // The cause that ended a run, if it was neither a kernel nor this chip; null if there is none.
    virtual const Diagnostic* failure() const = 0;

    virtual bool holds(uint64_t address) const = 0;
    // Where this chip keeps bytes that it has loaded from there; the address itself outside all windows.
    virtual uint64_t copy_of(uint64_t address) const = 0;
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

    // Loads the bytes of a view into the copy, by a transfer through the memory of the chip that owns them. `done` is
    // notified when the last one has arrived, at the earliest `least` cycles from now.
    virtual void load(const GlobalView& view, const Cost& cost, Cycle least, Event& done) = 0;
    // Sends bytes to a view, by a transfer through the memory of its owner, and returns the number of this store.
    // `done` is notified when the last one has left, at the earliest `least` cycles from now.
    virtual uint32_t begin_store(const GlobalView& view, const Cost& cost, Cycle least, Event& done) = 0;
    // Applies the store there as the storing instruction does, a latency and `after` cycles from now, or as soon as the
    // owner's memory has taken its bytes. Without `execution` it only takes time. `done` is notified when the owner's
    // answer arrives.
    virtual void store(uint32_t number, const Execution* execution, Cycle after, Event& done) = 0;
    // The answer has not arrived.
    virtual bool under_way(uint32_t number) const = 0;
    // Ignores answers to earlier requests, which a failed launch may have left.
    virtual void forget_requests() = 0;

    // Loads bytes for a scalar unit, which use no bandwidth of memory.
    virtual void fetch(uint64_t address, uint64_t size, Event& done) = 0;
    // Writes an element or a line there after a latency.
    virtual void write(uint64_t address, std::span<const std::byte> bytes) = 0;
    // `before` is set when `done` is notified.
    virtual void combine(uint64_t address, DType type, AtomicMode mode, uint64_t bits, uint64_t& before,
                         Event& done) = 0;
};

}  // namespace ptosim
