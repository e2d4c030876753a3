// Counts what a run does, for its bounds.
#pragma once

#include "sim/core/observer.h"
#include "sim/timing/bounds.h"

namespace ptosim {

class WorkMeter : public Observer {
 public:
    const Work& work() const { return work_; }
    void on_complete(const InstructionEvent& event) override;

 private:
    Work work_;
};

}  // namespace ptosim
