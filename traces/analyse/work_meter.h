// Counts the work of a run (Work), for its bounds: during the run, and from a recording.
#pragma once

#include "sim/machine/observe/latest_by_id.h"
#include "sim/machine/observe/observer.h"
#include "sim/machine/observe/per_core.h"
#include "sim/machine/observe/work.h"
#include "traces/record/recording.h"

namespace ptosim {

// Adds the work of `times` instructions with these operands.
void add_work(Work& work, Opcode opcode, const OperandSet& operands, uint64_t times = 1);
// Work of all completed instructions.
Work work_of(const Recording& recording);

class WorkMeter : public Observer {
 public:
    Work work() const;
    bool follows_instructions() const override { return false; }
    unsigned needs() const override { return 0; }
    bool takes_clusters_apart() const override { return true; }
    void on_launch(const LaunchEvent& event) override {
        for (const CoreId core : event.cores) cores_.expect(core);
    }
    void on_complete(const InstructionEvent& event) override { cores_.of(event.core).complete(event); }

 private:
    // Instructions with one InstructionEvent::validation_id have the same work.
    struct Same {
        uint64_t id = 0, count = 0;
        bool loads = false;
        Work of_one;
    };
    struct OfCore {
        LatestById<Same, 512> latest;
        Work work;  // of the others; of all, the bytes that L2 did not hold
        void complete(const InstructionEvent& event);
    };
    PerCore<OfCore> cores_;
};

}  // namespace ptosim
