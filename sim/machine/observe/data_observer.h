// Interface of observers of instructions' operands. An observer that is attached to a chip and has
// this interface, too, is called for both.
#pragma once

#include "isa/core/execution.h"
#include "sim/machine/observe/observer.h"

namespace ptosim {

// An instruction whose data takes effect: its operands as bytes.
struct DataEvent {
    CoreId core;
    uint64_t sequence = 0;
    const Execution& execution;
};

class DataObserver {
 public:
    virtual ~DataObserver() = default;
    // Called before each instruction computes. If true, its data is computed at once, on one thread.
    virtual bool follows_data(CoreId core, uint64_t sequence) const = 0;
    // Called before and after an instruction has computed, and before Observer::on_complete. A move to two cores causes
    // two calls. All earlier instructions of its cluster have been computed, and so have all that touch the same bytes
    // of global memory.
    virtual void on_data_begin(const DataEvent&) = 0;
    virtual void on_data_end(const DataEvent&) {}
};

}  // namespace ptosim
