// Counts the work of a run (Work), for its bounds: during the run, and from a recording.
#pragma once

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
    const Work& work() const { return work_; }
    bool follows_instructions() const override { return false; }
    void on_complete(const InstructionEvent& event) override;

 private:
    Work work_;
};

}  // namespace ptosim
