#include "sim/machine/event/process.h"

#include <boost/context/preallocated.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <memory>
#include <vector>

// Announce switches of stacks to sanitizers; null in programs without one.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** kept, const void* lowest, size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* kept, const void** lowest, size_t* size);
}

namespace ptosim {
namespace {

thread_local Process* running = nullptr;

void announce(void** kept, const void* lowest, size_t size) {
    if (__sanitizer_start_switch_fiber != nullptr) __sanitizer_start_switch_fiber(kept, lowest, size);
}

void arrive(void* kept, const void** lowest, size_t* size) {
    if (__sanitizer_finish_switch_fiber != nullptr) __sanitizer_finish_switch_fiber(kept, lowest, size);
}

}  // namespace

// Unwinding would run the code of kernels. The stacks of processes that wait are kept to the end of the program.
Process::~Process() {
    static std::vector<boost::context::fiber>& waiting = *new std::vector<boost::context::fiber>;
    if (process_) waiting.push_back(std::move(process_));
}

// Not compiled in place: the address of a thread's variable must not outlive a switch of stacks.
[[gnu::noinline]] Process* Process::current() { return running; }

void Process::make() {
    made_ = true;
    boost::context::protected_fixedsize_stack stacks(stack_);
    const boost::context::stack_context stack = stacks.allocate();
    own_ = {static_cast<const std::byte*>(stack.sp) - stack.size, stack.size};
    process_ = boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
                                     stacks, [this](boost::context::fiber&& actor) {
                                         arrive(nullptr, &of_actor_.lowest, &of_actor_.size);
                                         actor_ = std::move(actor);
                                         body_();
                                         announce(nullptr, of_actor_.lowest, of_actor_.size);
                                         return std::move(actor_);
                                     });
}

void Process::resume() {
    if (!made_) make();
    Process* const outer = std::exchange(running, this);
    void* kept = nullptr;
    announce(&kept, own_.lowest, own_.size);
    process_ = std::move(process_).resume();
    arrive(kept, nullptr, nullptr);
    running = outer;
}

void Process::yield() {
    void* kept = nullptr;
    announce(&kept, of_actor_.lowest, of_actor_.size);
    actor_ = std::move(actor_).resume();
    arrive(kept, &of_actor_.lowest, &of_actor_.size);
}

}  // namespace ptosim
