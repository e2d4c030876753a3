// What the lanes of a warp have done, lane by lane, and its merging into what they have done together.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "isa/threads/thread_run.h"
#include "ptosim/threads.h"

namespace ptosim {

class ThreadLog {
 public:
    // Events of a lane until it lets others run.
    static constexpr unsigned kEvents = 512;

    ThreadLog();

    // A warp begins to run, or continues.
    void begin_warp() { ends_ = begins_; }
    // A lane runs: the place of its next event, and where its room ends.
    ptosim_thread_event* next(unsigned lane) const { return ends_[lane]; }
    ptosim_thread_event* limit(unsigned lane) const { return begins_[lane] + kEvents; }
    // The lane has stopped, having written events up to `next`.
    void keep(unsigned lane, ptosim_thread_event* next) { ends_[lane] = next; }

    // Passes what the lanes of the warp have done since begin_warp() to `visit`, in an order that each lane's is part
    // of: lanes at different places have diverged, and those at the first place in the code go on.
    template <class Visitor>
    void merge(uint16_t warp, Visitor&& visit) const;

 private:
    // One more than the events of a lane: an event looks at the one before.
    std::unique_ptr<ptosim_thread_event[]> events_;
    std::array<ptosim_thread_event*, kWarpLanes> begins_{}, ends_{};
};

template <class Visitor>
void ThreadLog::merge(uint16_t warp, Visitor&& visit) const {
    std::array<const ptosim_thread_event*, kWarpLanes> at{};
    uint32_t left = 0;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        at[lane] = begins_[lane];
        if (at[lane] != ends_[lane]) left |= 1u << lane;
    }
    while (left != 0) {
        const void* first = at[static_cast<unsigned>(std::countr_zero(left))]->code;
        for (uint32_t lanes = left; lanes != 0; lanes &= lanes - 1)
            first = std::min(first, at[static_cast<unsigned>(std::countr_zero(lanes))]->code);
        WarpInstruction done;
        done.warp = warp;
        done.code = first;
        for (uint32_t lanes = left; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
            const ptosim_thread_event& event = *at[lane];
            if (event.code != first) continue;
            done.active |= 1u << lane;
            done.instructions = std::max(done.instructions, event.instructions);
            done.addresses[lane] = event.address;
            done.kind = static_cast<WarpInstruction::Kind>(event.kind);
            done.bytes = event.bytes;
            done.past_cache = event.past_cache != 0;
            done.used = done.used || event.used != 0;
            if (++at[lane] == ends_[lane]) left &= ~(1u << lane);
        }
        visit(done);
    }
}

}  // namespace ptosim
