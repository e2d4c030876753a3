#include "sim/machine/aicpu/process_wait.h"

namespace ptosim {

void ProcessWait::wait_for(Event& event) {
    event.await(actor_);
    process_ = Process::current();
    process_->yield();
}

void ProcessWait::wait_for(Cycle cycles) {
    timer_.notify(cycles);
    wait_for(timer_);
}

void ProcessWait::wait_for(Event& event, Cycle most) {
    timer_.notify(most);
    timer_.await(actor_);
    wait_for(event);
    event.forget(actor_);
    timer_.forget(actor_);
    timer_.cancel();
}

}  // namespace ptosim
