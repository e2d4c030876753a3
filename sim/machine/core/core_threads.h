// The time of a block's threads on a core, while the kernel's code executes them.
#pragma once

#include "isa/core/thread_run.h"
#include "sim/machine/core/scalar_unit.h"
#include "sim/machine/timing/thread_time.h"

namespace ptosim {

class CoreThreads : public ThreadRun, private ThreadMemory {
 public:
    // Begins in the present cycle. Reads the chip's figures here only.
    CoreThreads(CoreContext& core, ScalarUnit& scalar, const ThreadLaunch& launch);

    void execute(const WarpInstruction& instruction) override { time_.execute(instruction); }
    void advance() override;
    void release_barrier() override { time_.release_barrier(); }
    uint64_t elapsed(unsigned warp) const override { return whole(time_.elapsed(warp)); }
    void wait() override;
    ThreadWork work() const override;

 private:
    static Cycle whole(Milli time) { return (time + 999) / 1000; }
    uint64_t touch_line(uint64_t address, bool writes) override;
    Milli hold_sector(uint64_t sector, Milli from, Milli time) override;

    CoreContext& core_;
    ScalarUnit& scalar_;
    Cycle begin_;
    ThreadTime time_;
};

}  // namespace ptosim
