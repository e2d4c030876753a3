// Counts the work of a run (Work), for its bounds: during the run, and from a recording.
#pragma once

#include <vector>

#include "sim/machine/observe/observer.h"
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
    void on_complete(const InstructionEvent& event) override;

 private:
    void add(Work& work, const InstructionEvent& event) const;
    // Instructions with one InstructionEvent::validation_id have the same work.
    struct Known {
        uint64_t times = 0;
        bool loads = false;
        Work work;  // of one
    };
    std::vector<Known> known_;  // by that id
    Work work_;                 // of the others; of all, the bytes that L2 did not hold
};

}  // namespace ptosim
