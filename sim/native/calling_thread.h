// A thread of a block that calls the simulator as its kernel does, for example for the number of the block.
#pragma once

#include <utility>

#include "ptosim/scalar_access.h"

namespace ptosim {

class ThreadBlock;
struct Thread;

// The block whose thread runs; null outside of threads.
extern constinit thread_local ThreadBlock* running_block;
extern constinit thread_local Thread* running_thread_of_block;

// Puts the state of a running thread aside, because other cores may run before the call returns.
class CallingThread {
 public:
    CallingThread() : block_{std::exchange(running_block, nullptr)} {
        if (block_ == nullptr) return;
        thread_ = std::exchange(running_thread_of_block, nullptr);
        watch_ = ptosim_watched;
        instructions_ = std::exchange(ptosim_scalar_instructions, 0);
    }
    // The thread goes on.
    void go_on() const {
        if (block_ == nullptr) return;
        running_block = block_;
        running_thread_of_block = thread_;
        ptosim_watched = watch_;
        ptosim_scalar_instructions = instructions_;
    }

 private:
    ThreadBlock* block_;
    Thread* thread_ = nullptr;
    ptosim_watch watch_{};
    uint64_t instructions_ = 0;
};

}  // namespace ptosim
