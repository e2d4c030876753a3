// An event for processes that wait until a condition holds. Telling it costs nothing while nobody
// waits.
#pragma once

#include <systemc>

namespace ptosim {

class Wakeup {
 public:
    // Holds the calling process until the next notify(). The caller checks its condition before,
    // and again after: while (!condition) wakeup.wait();
    void wait() {
        waiting_ = true;
        sc_core::wait(event_);
    }
    // Wakes those that wait in the next delta cycle.
    void notify() {
        if (!waiting_) return;
        waiting_ = false;
        event_.notify(sc_core::SC_ZERO_TIME);
    }

 private:
    sc_core::sc_event event_;
    bool waiting_ = false;
};

}  // namespace ptosim
