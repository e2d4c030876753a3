// What the cores of a chip share: L2 and the memory behind it.
#pragma once

#include <unordered_map>
#include <vector>

#include "isa/core/instruction.h"
#include "sim/event/event_queue.h"
#include "sim/memory/fluid_memory.h"
#include "sim/memory/l2_cache.h"
#include "sim/memory/transfer.h"
#include "sim/timing/cost.h"

namespace ptosim {

class SharedMemory {
 public:
    // Notes in `read` which parameters times rest on.
    SharedMemory(EventQueue& event_queue, const ChipModel& model, ParametersRead& read);
    // A transfer of an instruction begins. `done` is notified in the cycle in which its last byte
    // has been asked for.
    Transfer start(const Cost& cost, const GlobalView& view, Event& done);
    // Brings a view into L2, in no time.
    void prefetch(const GlobalView& view) { touch(view, L2Cache::Access::kRead); }
    // Accesses of [address, address + size) bypass L2: it keeps nothing of them that it does not
    // hold already.
    void bypass_l2(uint64_t address, uint64_t size) { bypass_l2_.push_back({address, size}); }

 private:
    struct Range {
        uint64_t address = 0, size = 0;
    };
    // A part of memory that is being read; others that begin at the same address meanwhile queue
    // for the same windows. Its index is its number.
    struct Read {
        uint64_t address = 0;
        uint64_t misses = 0;  // the most that a reader's transfer has to fetch, in bytes
        std::vector<Event*> readers;
    };

    // The bytes that a pipe has requested and not received: its latest read, and what was
    // outstanding before.
    struct Outstanding {
        Cycle began = 0, ended = 0;
        uint64_t bytes = 0, before = 0;
        uint64_t in_flight = 0;  // at the end
        Milli latency = 0;       // of the read's bytes in the mean
        void end(Cycle now, uint64_t most);
    };

    L2Cache::Access access(const GlobalView& view, bool write) const;
    L2Cache::Traffic touch(const GlobalView& view, L2Cache::Access access);
    Milli limit(const Cost& cost, uint64_t touched, const Outstanding* outstanding) const;
    Outstanding& request(const Event& pipe, const Cost& cost, uint64_t bytes, uint64_t far);
    static uint64_t left(uint64_t bytes, Cycle later, Milli latency);
    uint64_t behind_l2(const Cost& cost, const L2Cache::Traffic& traffic, bool bypasses) const;
    Read& join(uint64_t address, uint64_t misses, Event& done);
    void collect();
    void update();
    void schedule();

    EventQueue& event_queue_;
    const ChipModel& model_;
    ParametersRead& read_;
    L2Cache l2_;
    FluidMemory memory_;
    Actor updater_ = Actor::of<&SharedMemory::update>(this, Actor::Kind::kUrgent);
    Event wake_;
    std::vector<void*> ended_;
    std::vector<Read> reads_;
    std::unordered_map<const Event*, Outstanding>
        outstanding_;  // by the event that a pipe waits for
    std::vector<Range> bypass_l2_;
};

}  // namespace ptosim
