#include "sim/native/thread_stack.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <new>
#include <utility>

namespace ptosim {
namespace {

constexpr size_t kGuard = 4096;

}  // namespace

ThreadStack::ThreadStack() {
    void* const memory =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<char*>(memory);
    mprotect(memory_, kGuard, PROT_NONE);
}

ThreadStack::~ThreadStack() { munmap(memory_, kBytes); }

// makecontext passes integers only.
void ThreadStack::begin(unsigned high, unsigned low) {
    reinterpret_cast<ThreadStack*>(static_cast<uintptr_t>(high) << 32 | low)->repeat();
}

void ThreadStack::repeat() {
    for (;;) {
        function_(argument_);
        returned_ = true;
        leave();
    }
}

bool ThreadStack::enter(void (*function)(void*), void* argument) {
    function_ = function;
    argument_ = argument;
    returned_ = false;
    if (sigsetjmp(outside_, 0) == 0) {
        if (started_) siglongjmp(inside_, 1);
        started_ = true;
        ucontext_t context;
        getcontext(&context);
        context.uc_stack.ss_sp = memory_;
        context.uc_stack.ss_size = kBytes;
        context.uc_link = nullptr;
        const auto self = reinterpret_cast<uintptr_t>(this);
        makecontext(&context, reinterpret_cast<void (*)()>(&ThreadStack::begin), 2, static_cast<unsigned>(self >> 32),
                    static_cast<unsigned>(self));
        setcontext(&context);
    }
    return returned_;
}

void ThreadStack::leave() {
    if (sigsetjmp(inside_, 0) == 0) siglongjmp(outside_, 1);
}

void ThreadStack::abandon() { started_ = false; }

std::unique_ptr<ThreadStack> ThreadStacks::take() {
    if (free_.empty()) return std::make_unique<ThreadStack>();
    std::unique_ptr<ThreadStack> stack = std::move(free_.back());
    free_.pop_back();
    return stack;
}

void ThreadStacks::give_back(std::unique_ptr<ThreadStack> stack) { free_.push_back(std::move(stack)); }

}  // namespace ptosim
