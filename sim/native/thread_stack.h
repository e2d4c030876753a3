// Stacks on which threads of a block run until they wait.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <memory>
#include <vector>

namespace ptosim {

// A stack that repeats a function. Switching saves no signal mask, which would take a system call.
class ThreadStack {
 public:
    static constexpr size_t kBytes = 256 << 10;

    ThreadStack();
    ~ThreadStack();
    ThreadStack(const ThreadStack&) = delete;
    ThreadStack& operator=(const ThreadStack&) = delete;

    // Runs function(argument) on the stack until it calls leave() or returns; continues it after a leave(). Returns
    // true if the function has returned.
    bool enter(void (*function)(void*), void* argument);
    // Returns from enter(). Must be called on this stack.
    void leave();
    // Forgets a function that has called leave(): its frames are not unwound.
    void abandon();
    bool contains(const void* pointer) const { return pointer >= memory_ && pointer < memory_ + kBytes; }

 private:
    static void begin(unsigned high, unsigned low);
    void repeat();

    char* memory_;  // the lowest page must not be touched
    sigjmp_buf outside_, inside_;
    void (*function_)(void*) = nullptr;
    void* argument_ = nullptr;
    bool started_ = false, returned_ = false;
};

// Stacks that no thread uses.
class ThreadStacks {
 public:
    std::unique_ptr<ThreadStack> take();
    void give_back(std::unique_ptr<ThreadStack> stack);

 private:
    std::vector<std::unique_ptr<ThreadStack>> free_;
};

}  // namespace ptosim
