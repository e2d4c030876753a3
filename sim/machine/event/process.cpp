#include "sim/machine/event/process.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/preallocated.hpp>
#include <memory>
#include <new>
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

// Stacks below which a page cannot be accessed. Boost's allocator of such stacks would make
// libptosim need static memory of threads, which programs with PyTorch have too little of.
class Stacks {
 public:
    explicit Stacks(size_t size) : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
        size_ = (size + page_ - 1) / page_ * page_ + page_;
    }
    boost::context::stack_context allocate() const {
        void* const lowest =
            mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (lowest == MAP_FAILED) throw std::bad_alloc();
        mprotect(lowest, page_, PROT_NONE);
        boost::context::stack_context stack;
        stack.size = size_;
        stack.sp = static_cast<char*>(lowest) + size_;
        return stack;
    }
    void deallocate(boost::context::stack_context& stack) const noexcept {
        munmap(static_cast<char*>(stack.sp) - stack.size, stack.size);
    }

 private:
    size_t page_, size_ = 0;
};

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
    const Stacks stacks(stack_);
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
