// The pipes of a core, and their shared state.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "sim/machine/core/data_path.h"
#include "sim/machine/core/pipe_unit.h"
#include "sim/machine/core/sync_state.h"

namespace ptosim {

class Pipes {
 public:
    Pipes(CoreContext& core, SyncState& sync, DataPath& data);

    // Null for S, and for pipes that this core type lacks.
    PipeUnit* operator[](Pipe pipe) const { return units_[static_cast<size_t>(pipe)].get(); }
    PipeUnit* operator[](unsigned pipe) const { return units_[pipe].get(); }

    // Returns an entry to fill in and issue. It may hold data of an earlier use.
    PipeUnit::Entry& new_entry() {
        if (spare_.empty()) [[unlikely]]
            add_entry();
        PipeUnit::Entry& entry = *spare_.back();
        spare_.pop_back();
        return entry;
    }
    void recycle(PipeUnit::Entry& entry) { spare_.push_back(&entry); }

    // Issues an entry to a pipe whose queue has room: finds the earlier entries that it must wait for, notifies the
    // observers, and appends it to the queue.
    void issue(PipeUnit& unit, PipeUnit::Entry& entry);

    // Number of entries pushed into all pipes, or into these. The pipes are drained when they have completed as many.
    PipeCounts pushed() const;
    PipeCounts pushed(std::span<const Pipe> pipes) const;
    // Number of entries that each pipe must complete before a memory access conflicts with none.
    PipeCounts conflicts(const Access& access) const;

    CoreContext& core() const { return core_; }
    SyncState& sync() const { return sync_; }
    DataPath& data() const { return data_; }
    // True while MTE2 writes L1, which slows moves out of L1 down.
    bool l1_written() const { return l1_written_; }
    void set_l1_written(bool written) { l1_written_ = written; }

 private:
    void add_entry();
    void find_dependences(PipeUnit::Entry& entry, Pipe own) const;

    CoreContext& core_;
    SyncState& sync_;
    DataPath& data_;
    std::array<std::unique_ptr<PipeUnit>, kPipeCount> units_;
    std::vector<std::unique_ptr<PipeUnit::Entry>> entries_;
    std::vector<PipeUnit::Entry*> spare_;  // most recently used first, because it is in the caches
    bool l1_written_ = false;
};

}  // namespace ptosim
