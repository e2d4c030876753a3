// The time of a block's threads on a core, while the kernel's code executes them.
#pragma once

#include <array>
#include <memory>

#include "isa/core/thread_run.h"
#include "sim/machine/core/scalar_unit.h"
#include "sim/machine/timing/thread_time.h"

namespace ptosim {

class CoreThreads : public ThreadRun, private ThreadMemory {
 public:
    // Begins in the present cycle. Reads the chip's figures here only.
    CoreThreads(CoreContext& core, ScalarUnit& scalar, const ThreadLaunch& launch);

    static ThreadReserve reserve_of(const ChipModel& chip) {
        return {.compiler = chip.aiv.threads.reserved, .data_cache = chip.aiv.threads.cache_least};
    }
    ThreadReserve reserve() const override { return reserve_of(core_.model); }
    void execute(const WarpInstruction& instruction) override;
    void advance() override;
    void release_barrier() override;
    uint64_t elapsed(unsigned warp) const override { return whole(time_.elapsed(warp)); }
    void wait() override;
    ThreadWork work() const override;
    std::vector<uint32_t> warp_order() override {
        return core_.schedule == nullptr
                   ? std::vector<uint32_t>{}
                   : core_.schedule->warp_order(static_cast<uint32_t>(time_.warps()));
    }
    std::optional<ThreadReport> report() const override;
    std::vector<WarpSpan> spans() const override {
        return tally_ == nullptr ? std::vector<WarpSpan>{} : tally_->spans();
    }

 private:
    // The block as it could be: with the same L2, in which all lines are.
    struct Alternatives : ThreadMemory {
        Alternatives(const ChipModel& chip, const ThreadLaunch& launch, Cycle begin);
        uint64_t touch_line(uint64_t, bool) override { return 0; }
        Milli hold_sector(uint64_t, Milli from, Milli time, Milli) override { return from + time; }
        std::array<ThreadTime, 3> times;  // by Assumed
        uint64_t cycles(ThreadTime::Assumed assumed) const;
    };

    static Cycle whole(Milli time) { return (time + 999) / 1000; }
    uint64_t touch_line(uint64_t address, bool writes) override;
    Milli hold_sector(uint64_t sector, Milli from, Milli time, Milli handover) override;

    CoreContext& core_;
    ScalarUnit& scalar_;
    Cycle begin_;
    std::unique_ptr<ThreadTally> tally_;  // null: nobody observes
    ThreadTime time_;
    std::unique_ptr<Alternatives> alternatives_;
};

}  // namespace ptosim
