// The clocks of the chips of a system. Each chip publishes a promise about its clock in shared pages.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "sim/machine/event/neighbours.h"

namespace ptosim {

// A chip's promise: it sends no further message before `time`. A parked chip waits in a call of its host for the others
// and sends only answers, until all have met once more than the `meetings` that it has left. For a reader that has left
// more of them, the promise is out of date.
struct Promise {
    Cycle time = 0;
    bool parked = false;
    uint16_t meetings = 0;  // modulo 2^15
    friend bool operator==(const Promise&, const Promise&) = default;
};

struct ChipClocks {
    static constexpr unsigned kMost = 64;
    static constexpr uint64_t kMeetings = 0x7fff;
    struct alignas(64) Clock {
        // The time, the meetings and the parked flag in one word.
        std::atomic<uint64_t> word;
        std::atomic<uint32_t> changes;   // of the word
        std::atomic<uint32_t> sleepers;  // waiting for a change of the word
        std::atomic<int32_t> process;
        std::atomic<uint64_t> quiet_since;  // its cores only poll for signals since this time
        std::atomic<uint32_t> told;         // a deadlock was found, and `looks` is filled
        std::atomic<uint32_t> launches[2];  // begun when its host joined the last meetings, by their numbers
        char looks[2048];                   // lines of text

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
        // Waits until the promise differs from `seen`, at most two milliseconds.
        void await_other_than(const Promise& seen) {
            const uint32_t before = changes.load();
            ++sleepers;
            if (read() == seen) {
                constexpr timespec kMost{0, 2'000'000};
                syscall(SYS_futex, &changes, FUTEX_WAIT, before, &kMost, nullptr, 0);
            }
            --sleepers;
        }
        // The chip sends no further messages.
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
