// Lets a SystemC process wait for events of the event queue: processors, and cores' processes that
// wait for what is no part of their core. Such a process has to wait for time of its core (a scalar
// operation) before it issues anything: then its scalar unit has it again.
#pragma once

#include <systemc>

#include "sim/event/event_queue.h"

namespace ptosim {

class ProcessWait {
 public:
    explicit ProcessWait(EventQueue& event_queue)
        : event_queue_{event_queue}, timer_{event_queue} {}

    // To be called in the process that waits, one at a time. Others act meanwhile.
    void wait_for(Event& event);
    void wait_for(Cycle cycles);
    // Until the event has fired, or so many cycles from now.
    void wait_for(Event& event, Cycle most);

 private:
    void act() { event_queue_.switch_to(resume_); }
    void yield();

    EventQueue& event_queue_;
    Event timer_;
    Actor actor_ = Actor::of<&ProcessWait::act>(this);
    sc_core::sc_event resume_;
};

}  // namespace ptosim
