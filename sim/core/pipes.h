// The pipes of a core, and what they share.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "sim/core/data_path.h"
#include "sim/core/pipe_unit.h"
#include "sim/core/sync_state.h"

namespace ptosim {

class Pipes {
 public:
    Pipes(CoreContext& core, SyncState& sync, DataPath& data);

    // Null if this type of core has no such pipe, and for S.
    PipeUnit* operator[](Pipe pipe) const { return units_[static_cast<size_t>(pipe)].get(); }
    PipeUnit* operator[](unsigned pipe) const { return units_[pipe].get(); }

    // An entry to be filled in, and then issued. It may have been used before.
    PipeUnit::Entry& new_entry();
    void recycle(PipeUnit::Entry& entry) { spare_.push_back(&entry); }

    // The scalar unit issues an entry to a pipe whose queue has room: finds out which earlier ones
    // it has to wait for, tells the observers, and puts it into the queue.
    void issue(PipeUnit& unit, PipeUnit::Entry& entry);

    // How many entries the pipes have been given: all of them, or
    // these. When they have completed as many, they are drained.
    PipeCounts pushed() const;
    PipeCounts pushed(std::span<const Pipe> pipes) const;
    // How many entries each pipe must complete before a memory access conflicts with none.
    PipeCounts conflicts(const Access& access) const;

    CoreContext& core() const { return core_; }
    SyncState& sync() const { return sync_; }
    DataPath& data() const { return data_; }
    // Whether MTE2 writes L1 now: moves out of L1 take longer then.
    bool l1_written() const { return l1_written_; }
    void set_l1_written(bool written) { l1_written_ = written; }

 private:
    void find_dependences(PipeUnit::Entry& entry, Pipe own) const;

    CoreContext& core_;
    SyncState& sync_;
    DataPath& data_;
    std::array<std::unique_ptr<PipeUnit>, kPipeCount> units_;
    std::vector<std::unique_ptr<PipeUnit::Entry>> entries_;
    std::vector<PipeUnit::Entry*> spare_;  // the last one used first: it is in the caches
    bool l1_written_ = false;
};

}  // namespace ptosim
