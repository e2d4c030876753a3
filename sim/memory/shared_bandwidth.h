// Bandwidth that transfers in flight share: max-min fair, recomputed when one starts or ends.
// Integer throughout: rates are thousandths of bytes per cycle, completions round up to a cycle.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "sim/model/chip_model.h"
#include "sim/timing/cycle.h"

namespace ptosim {


// The arithmetic, without SystemC: flows with a rate limit each through one link.
class FluidLink {
 public:
    struct Flow {
        uint64_t remaining = 0;  // thousandths of bytes
        Milli limit = 0;
        Milli rate = 0;
        void* owner = nullptr;
    };

    explicit FluidLink(Milli capacity) : capacity_{capacity} {}
    // `now` must not go back. Adds a flow of `bytes` bytes.
    void add(Cycle now, uint64_t bytes, Milli limit, void* owner);
    // Moves time on; appends the owners of flows that have ended, in the order they were added.
    void advance(Cycle now, std::vector<void*>& ended);
    // The cycle in which the next flow ends; UINT64_MAX if there is none.
    Cycle next_end() const;

 private:
    void share();

    Milli capacity_;
    Cycle now_ = 0;
    std::vector<Flow> flows_;  // in order of arrival
    std::vector<uint32_t> order_;
};

// One link as a SystemC process. A transfer's event is notified in the cycle in which it ends.
class SharedBandwidth : public sc_core::sc_module {
 public:
    SharedBandwidth(sc_core::sc_module_name name, Milli capacity);
    void start(uint64_t bytes, Milli limit, sc_core::sc_event& done);

 private:
    void update();
    void schedule();

    FluidLink link_;
    sc_core::sc_event wake_;
    std::vector<void*> ended_;
};

}  // namespace ptosim
