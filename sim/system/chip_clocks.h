// The clocks of the chips of a system, as they promise them to each other in shared pages.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "sim/event/neighbours.h"

namespace ptosim {

// A chip's promise: it sends no message before `time` any more. A parked one waits in a call of its host for the
// others, and sends only what they ask for, until all have met once more than the `meetings` that it has left: what one
// that has left more of them reads is older than that.
struct Promise {
    Cycle time = 0;
    bool parked = false;
    uint16_t meetings = 0;  // as many as fit
    friend bool operator==(const Promise&, const Promise&) = default;
};

struct ChipClocks {
    static constexpr unsigned kMost = 64;
    static constexpr uint64_t kMeetings = 0x7fff;
    struct alignas(64) Clock {
        // The time, the meetings, and whether it is parked, in one.
        std::atomic<uint64_t> word;
        std::atomic<uint32_t> changes;   // of the word
        std::atomic<uint32_t> sleepers;  // that wait for one
        std::atomic<int32_t> process;
        std::atomic<uint64_t> quiet_since;  // its cores have done nothing but look for signals
        std::atomic<uint32_t> told;         // of a deadlock: `looks` are there
        char looks[2048];                   // lines

        Promise read() const {
            const uint64_t now = word.load(std::memory_order_acquire);
            if (now == UINT64_MAX) return {Neighbours::kNever};
            return {now >> 16, (now & 1) != 0, static_cast<uint16_t>(now >> 1 & kMeetings)};
        }
        void write(const Promise& promise) {
            constexpr Cycle kMostTime = Cycle{1} << 47;  // 21 hours of a chip
            if (promise.time >= kMostTime) return end();
            change_to(promise.time << 16 | (promise.meetings & kMeetings) << 1 | (promise.parked ? 1 : 0));
        }
        // Until it makes another promise than `seen`, or for two milliseconds.
        void await_other_than(const Promise& seen) {
            const uint32_t before = changes.load();
            ++sleepers;
            if (read() == seen) {
                constexpr timespec kMost{0, 2'000'000};
                syscall(SYS_futex, &changes, FUTEX_WAIT, before, &kMost, nullptr, 0);
            }
            --sleepers;
        }
        // It sends nothing any more.
        void end() { change_to(UINT64_MAX); }
        bool ended() const { return word.load(std::memory_order_acquire) == UINT64_MAX; }

        void change_to(uint64_t now) {
            word.store(now, std::memory_order_release);
            ++changes;
            if (sleepers.load() != 0) syscall(SYS_futex, &changes, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
        }
    };
    Clock clocks[kMost];
};

}  // namespace ptosim
