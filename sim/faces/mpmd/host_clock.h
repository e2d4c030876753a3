// The clock for times that a runtime's host library records. Its code is counted like that of processors, so the times
// do not depend on the host's load and speed.
#pragma once

#include <atomic>
#include <cstdint>

namespace ptosim::mpmd {

class HostClock {
 public:
    // Picoseconds of a basic block of the host's code, derived: a submit takes 0.75 us on the host of an a2a3 (simpler,
    // 2026-08-hbg-graph-block-decomposition.md), and some 300 blocks in vector_example.
    static constexpr uint64_t kBlock = 2500;

    // This thread has requested a run: its code is counted from now on.
    static void begin() {
        began_ = blocks_.load(std::memory_order_relaxed);
        counted_ = &marker_;
    }
    static void execute_block() {
        if (counted_.load(std::memory_order_relaxed) == &marker_)
            blocks_.store(blocks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    // Time of its code; for other threads, up to their last begin().
    static uint64_t nanoseconds() {
        return (counted_ == &marker_ ? blocks_ : began_) * kBlock / 1000;
    }

 private:
    static inline constinit thread_local bool marker_ = false;  // its address distinguishes threads
    static inline std::atomic<const bool*> counted_ = nullptr;
    static inline std::atomic<uint64_t> blocks_ = 0, began_ = 0;
};

// Numbers of this process and this thread; identical in each recorded run.
int host_process();
int host_thread();

}  // namespace ptosim::mpmd
