// A process of an actor: code with a separate stack, which the actor resumes.
#pragma once

#include <boost/context/fiber.hpp>
#include <functional>
#include <utility>

namespace ptosim {

class Process {
 public:
    // Calls `body`, on a stack of `stack` bytes, when it is first resumed. The stack is made then.
    Process(size_t stack, std::function<void()> body) : stack_{stack}, body_{std::move(body)} {}
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    // A process that has not ended is not unwound.
    ~Process();

    // Called by the actor: the process runs until it yields or ends.
    void resume();
    // Called by the process: the actor continues.
    void yield();
    // The process whose code this thread runs; null if none.
    static Process* current();

 private:
    // A stack as sanitizers know it.
    struct Bounds {
        const void* lowest = nullptr;
        size_t size = 0;
    };
    void make();

    const size_t stack_;
    const std::function<void()> body_;
    bool made_ = false;
    boost::context::fiber process_, actor_;
    Bounds own_, of_actor_;
};

}  // namespace ptosim
