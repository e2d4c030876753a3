// Lets a process wait for events of the event queue: a processor, or a core that waits for something outside of itself.
// Before such a core issues anything, it must spend time (a scalar operation), which returns the process to its scalar
// unit.
#pragma once

#include "sim/machine/event/event_queue.h"
#include "sim/machine/event/process.h"

namespace ptosim {

class ProcessWait {
 public:
    explicit ProcessWait(EventQueue& event_queue) : timer_{event_queue} {}

    // Called in the waiting process, one at a time. Other processes run meanwhile.
    void wait_for(Event& event);
    void wait_for(Cycle cycles);
    // Waits until the event has fired, but at most `most` cycles.
    void wait_for(Event& event, Cycle most);

 private:
    void act() { process_->resume(); }

    Event timer_;
    Actor actor_ = Actor::of<&ProcessWait::act>(this);
    Process* process_ = nullptr;  // the one that waits
};

}  // namespace ptosim
