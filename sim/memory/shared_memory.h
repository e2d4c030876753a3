// What the cores of a chip share: L2 and the memory behind it, as a SystemC process.
#pragma once

#include <systemc>
#include <vector>

#include "isa/instruction.h"
#include "sim/memory/fluid_memory.h"
#include "sim/memory/l2_cache.h"
#include "sim/memory/transfer.h"
#include "sim/timing/cost.h"

namespace ptosim {

class SharedMemory : public sc_core::sc_module {
 public:
    SharedMemory(sc_core::sc_module_name name, const ChipModel& model);
    // A transfer of an instruction begins. `done` is notified in the cycle in which its last byte
    // has been asked for.
    Transfer start(const Cost& cost, const GlobalView& view, sc_core::sc_event& done);

 private:
    // A read that brings something into L2; others that begin at the same address meanwhile wait
    // for the same windows.
    struct Fetch {
        uint64_t address = 0;
        unsigned cores = 0;
        sc_core::sc_event* first = nullptr;
    };

    L2Cache::Traffic touch(const GlobalView& view, bool write);
    Milli limit(const Cost& cost, const L2Cache::Traffic& traffic) const;
    bool joins_fetch(const GlobalView& view, bool misses, sc_core::sc_event& done, Milli& most);
    void collect();
    void update();
    void schedule();

    const ChipModel& model_;
    L2Cache l2_;
    FluidMemory memory_;
    sc_core::sc_event wake_;
    std::vector<void*> ended_;
    std::vector<Fetch> fetches_;
};

}  // namespace ptosim
