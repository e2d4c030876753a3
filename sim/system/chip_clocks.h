// The clocks of the chips of a system, as they promise them to each other in shared pages.
#pragma once

#include <atomic>

#include "sim/event/neighbours.h"

namespace ptosim {

// A chip's promise: it sends no message before `time` any more. A parked one waits in a call of its host for the
// others, and sends only what they ask for.
struct Promise {
    Cycle time = 0;
    bool parked = false;
};

struct ChipClocks {
    static constexpr unsigned kMost = 64;
    struct alignas(64) Clock {
        std::atomic<uint64_t> word;  // the time, shifted, and whether it is parked
        std::atomic<int32_t> process;

        Promise read() const {
            const uint64_t now = word.load(std::memory_order_acquire);
            return {now == UINT64_MAX ? Neighbours::kNever : now >> 1, (now & 1) != 0};
        }
        void write(const Promise& promise) {
            if (promise.time >= Neighbours::kNever >> 1) return end();
            word.store(promise.time << 1 | (promise.parked ? 1 : 0), std::memory_order_release);
        }
        // It sends nothing any more.
        void end() { word.store(UINT64_MAX, std::memory_order_release); }
        bool ended() const { return word.load(std::memory_order_acquire) == UINT64_MAX; }
    };
    Clock clocks[kMost];
};

}  // namespace ptosim
