// A processor of the AICPU: runs compiled code as a process on the simulated clock.
//
// Its time is counted, not measured, and so does not depend on the host's speed. The code is compiled with
// -fsanitize-coverage=trace-pc, and each executed basic block costs the chip's aicpu.block, or aicpu.loop_block if it
// follows itself. Accesses to cores' registers, cache operations and waiting loops have separate costs.
//
// A processor runs ahead of the clock by at most kMostAhead cycles of blocks, so it may see another one's writes to
// memory that much later. Registers are accessed at their time.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/machine/aicpu/process_wait.h"
#include "sim/machine/event/process.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim {

class Processor {
 public:
    static constexpr Milli kMostAhead = 185 * 1000;  // thousandths of cycles: about 100 ns

    // Must live as long as the event queue.
    Processor(EventQueue& event_queue, const ChipModel& model, ParametersRead& read,
              unsigned index);
    Processor(const Processor&) = delete;
    Processor& operator=(const Processor&) = delete;

    unsigned index() const { return index_; }
    // Begins this work when the event queue runs (again). The work must not throw.
    void start(std::function<void()> work);
    bool working() const { return static_cast<bool>(work_); }

    // The processor whose code this thread runs; null if none.
    static Processor* current() { return current_; }

    // ---- actions of its code, for current() only

    // Identifies the block by its address. A block that follows itself is a loop's whole body, with a separate price.
    void execute_block(uintptr_t block) {
        ++counts_.blocks;
        charged_ += block == last_block_ ? loop_block_ : block_;
        last_block_ = block;
        if (charged_ > kMostAhead) spend();
    }
    uint32_t load_register(const volatile uint32_t* address);
    void store_register(volatile uint32_t* address, uint32_t value);
    void use_cache(uint64_t bytes);  // cleans or invalidates `bytes` bytes
    void spin();                     // an iteration of a waiting loop
    // Core cycles since the chip came up, in thousandths, including charged ones that have not passed yet.
    Milli time() const { return event_queue_.now() * 1000 + charged_; }
    uint64_t nanoseconds() const;
    // Waits for `cycles` cycles.
    void wait(Cycle cycles) {
        charged_ += cycles * 1000;
        spend();
    }
    // Lets the charged whole cycles pass.
    void spend();

    // Counts since its construction.
    struct Counts {
        uint64_t blocks = 0, loads = 0, stores = 0, cache_lines = 0, spins = 0;
        friend bool operator==(const Counts&, const Counts&) = default;
    };
    const Counts& counts() const { return counts_; }

 private:
    void work();
    void resume() { process_.resume(); }

    static inline constinit thread_local Processor* current_ = nullptr;

    EventQueue& event_queue_;
    const ChipModel& model_;
    ParametersRead& read_;
    const unsigned index_;
    Milli block_ = 0, loop_block_ = 0;
    uintptr_t last_block_ = 0;
    Milli charged_ = 0;
    ProcessWait wait_;
    Actor beginner_ = Actor::of<&Processor::resume>(this);
    Process process_;
    std::function<void()> work_;
    Counts counts_;
};

}  // namespace ptosim
