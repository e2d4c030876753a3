// Counts a run without recording it: the totals of account() in constant memory.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "traces/analyse/accounting.h"
#include "traces/record/core_index.h"

namespace ptosim {

class Summary : public Observer {
 public:
    Summary() : causes_{sources_} {}
    Summary(const Summary&) = delete;
    Summary& operator=(const Summary&) = delete;

    // Up to the end of the launch, or to the last event if the machine has not reported its end.
    Accounting accounting() const;

    unsigned needs() const override { return kEachInstruction & ~(1u << kFlagWait); }
    bool takes_clusters_apart() const override { return true; }
    void on_launch(const LaunchEvent& event) override;
    void on_launch_end(Cycle time) override;
    void on_block_begin(const RunEvent& event) override;
    void on_block_end(const RunEvent& event) override;
    void on_issue(const InstructionEvent& event) override;
    void on_start(const InstructionEvent& event) override;
    void on_complete(const InstructionEvent& event) override;
    void on_flag_set(const FlagEvent& event) override;
    void on_block(const BlockEvent& event) override;
    void on_unblock(const BlockEvent& event) override;
    void on_diagnostic(const Diagnostic& diagnostic) override;

 private:
    CoreMeter& meter(const CoreId& core) {
        const auto& meters_of_type = known_[static_cast<size_t>(core.type)];
        CoreMeter* const meter =
            core.index < meters_of_type.size() ? meters_of_type[core.index] : nullptr;
        return meter != nullptr ? *meter : new_meter(core);
    }
    CoreMeter& meter_at(const CoreId& core, Cycle time) {
        CoreMeter& found = meter(core);
        found.saw(time);
        return found;
    }
    CoreMeter& new_meter(CoreId core);
    bool anything_open() const;
    void saw(Cycle time) { now_ = std::max(now_, time); }
    Cycle last() const;

    Accounting total_;  // without cores
    Sources sources_;
    WaitCauses causes_;
    std::vector<CoreId> cores_;
    std::deque<CoreMeter> meters_;                  // of these
    std::array<std::vector<CoreMeter*>, 2> known_;  // by type and index
    Cycle now_ = 0;          // of the last event of no core
    bool launched_ = false;  // and not ended
};

}  // namespace ptosim
