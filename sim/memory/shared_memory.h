// What the cores of a chip share: L2 and the memory behind it.
#pragma once

#include <vector>

#include "isa/instruction.h"
#include "sim/memory/fluid_memory.h"
#include "sim/memory/l2_cache.h"
#include "sim/memory/transfer.h"
#include "sim/timing/agenda.h"
#include "sim/timing/cost.h"

namespace ptosim {

class SharedMemory {
 public:
    SharedMemory(Agenda& agenda, const ChipModel& model);
    // A transfer of an instruction begins. `done` is notified in the cycle in which its last byte
    // has been asked for.
    Transfer start(const Cost& cost, const GlobalView& view, Event& done);
    // Brings a view into L2, in no time.
    void prefetch(const GlobalView& view) { touch(view, false); }

 private:
    // A read under way; others that begin at the same address meanwhile wait for the same windows.
    struct Read {
        uint64_t address = 0;
        unsigned cores = 0;
        bool misses = false;
        Event* first = nullptr;
    };

    L2Cache::Traffic touch(const GlobalView& view, bool write);
    Milli limit(const Cost& cost, const L2Cache::Traffic& traffic) const;
    bool joins_read(const GlobalView& view, bool misses, Event& done, Milli& most);
    void collect();
    void update();
    void schedule();

    Agenda& agenda_;
    const ChipModel& model_;
    L2Cache l2_;
    FluidMemory memory_;
    Actor updater_ = Actor::of<&SharedMemory::update>(this, Actor::Kind::kUrgent);
    Event wake_;
    std::vector<void*> ended_;
    std::vector<Read> reads_;
};

}  // namespace ptosim
