#include "sim/machine/event/process.h"

#include <boost/context/protected_fixedsize_stack.hpp>
#include <utility>
#include <vector>

namespace ptosim {
namespace {

thread_local Process* running = nullptr;

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
    process_ = boost::context::fiber(std::allocator_arg, boost::context::protected_fixedsize_stack(stack_),
                                     [this](boost::context::fiber&& actor) {
                                         actor_ = std::move(actor);
                                         body_();
                                         return std::move(actor_);
                                     });
}

void Process::resume() {
    if (!made_) make();
    Process* const outer = std::exchange(running, this);
    process_ = std::move(process_).resume();
    running = outer;
}

}  // namespace ptosim
