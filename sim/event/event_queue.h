// What the machine does next: the queue of events that its parts wait for, and the clock.
//
// A part of the machine is an Actor: something that acts when an Event that it waits for happens,
// and then waits for another. Actors act in a fixed order that does not depend on the host, the
// order in which SystemC runs its processes: what becomes due in the same cycle acts in rounds;
// within a round urgent actors act before the others, each in the order in which their events
// happened. An actor is a call of a function, twenty times cheaper than a process.
//
// SystemC keeps the time of what has a stack of its own: the control flow of kernels. The
// event_queue is one process, and whenever it lets another one run, SystemC's clock has been
// brought forward to the event_queue's.
#pragma once

#include <cstdint>
#include <exception>
#include <systemc>
#include <vector>

#include "sim/event/cycle.h"

namespace ptosim {

class EventQueue;

class Actor {
 public:
    enum class Kind : uint8_t { kUrgent, kNormal };

    // Calls (owner->*act)().
    template <auto kAct, class Owner>
    static Actor of(Owner* owner, Kind kind = Kind::kNormal) {
        return Actor([](void* object) { (static_cast<Owner*>(object)->*kAct)(); }, owner, kind);
    }

 private:
    friend class EventQueue;
    friend class Event;
    Actor(void (*act)(void*), void* owner, Kind kind) : act_{act}, owner_{owner}, kind_{kind} {}

    void (*act_)(void*);
    void* owner_;
    Kind kind_;
    bool due_ = false;
};

// Happens when it is told to, once per telling. Lives as long as its event_queue.
class Event {
 public:
    explicit Event(EventQueue& event_queue, Actor* always = nullptr);
    // Wakes this actor each time that it happens.
    Event(EventQueue& event_queue, Actor& always) : Event(event_queue, &always) {}
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    // Happens so many cycles from now; 0 is the next round of this cycle. Of several tellings the
    // earliest counts.
    inline void notify(Cycle after = 0);
    void cancel();
    // The actor acts when it happens next.
    void await(Actor& actor) {
        if (waiting_ == nullptr)
            waiting_ = &actor;
        else
            also_waiting_.push_back(&actor);
    }
    void forget(const Actor& actor);
    bool awaited() const { return waiting_ != nullptr; }

 private:
    friend class EventQueue;
    enum class State : uint8_t { kNone, kNextRound, kTimed };

    void happen();

    EventQueue* event_queue_;
    Actor* always_ = nullptr;
    Actor* waiting_ = nullptr;  // the first; few events have more
    Cycle due_ = 0;
    State state_ = State::kNone;
    uint32_t number_;       // among the event_queue's
    uint32_t telling_ = 0;  // tells the valid entry of the event_queue from those cancelled
    std::vector<Actor*> also_waiting_;
};

// An event for actors that wait until a condition holds. Telling it costs nothing while nobody
// waits; who is woken checks the condition again.
class Wakeup {
 public:
    explicit Wakeup(EventQueue& event_queue) : event_{event_queue} {}
    void await(Actor& actor) { event_.await(actor); }
    void notify() {
        if (event_.awaited()) event_.notify();
    }
    Event& event() { return event_; }

 private:
    Event event_;
};

class EventQueue : public sc_core::sc_module {
 public:
    explicit EventQueue(sc_core::sc_module_name name);

    // Core cycles since the chip came up.
    Cycle now() const { return now_; }
    // Acts in the first round of the first run; in the order of the calls.
    void begin_with(Actor& actor) { make_due(actor); }
    // Works until nothing is left to do or stop() is called. Rethrows what an actor has thrown.
    void run();
    // Ends run() after this round.
    void stop() { stopped_ = true; }

    // For actors with a stack of their own: a process that waits for `resume` runs now, until it
    // calls give_back().
    void lend(sc_core::sc_event& resume);
    void give_back() { returned_.notify(); }

 private:
    friend class Event;
    // A telling of an event, by its number; valid unless the event has been told otherwise since.
    struct Entry {
        Cycle time;
        uint32_t event;
        uint32_t telling;
    };
    bool valid(const Entry& entry) const {
        const Event& event = *events_[entry.event];
        return event.state_ == Event::State::kTimed && event.telling_ == entry.telling;
    }

    void process();
    void work();
    void rounds();
    bool next_cycle();
    void make_due(Actor& actor);
    void act(std::vector<Actor*>& actors);
    inline void push(const Entry& entry);
    void pop();

    Cycle now_ = 0;
    bool stopped_ = false;
    std::vector<Event*> events_;
    std::vector<Entry> heap_{1};  // a binary heap from index 1 on, the earliest first
    std::vector<Event*> next_round_;
    std::vector<Actor*> urgent_, normal_;
    std::exception_ptr thrown_;
    sc_core::sc_event begun_, returned_;
};

// The heap's steps are those of SystemC's queue, so that events of one cycle happen in the same
// order.
void EventQueue::push(const Entry& entry) {
    size_t at = heap_.size();
    heap_.push_back(entry);
    Entry* const heap = heap_.data();
    for (; at > 1 && heap[at / 2].time > entry.time; at /= 2) heap[at] = heap[at / 2];
    heap[at] = entry;
}

void Event::notify(Cycle after) {
    if (state_ == State::kNextRound) return;
    if (after == 0) {
        event_queue_->next_round_.push_back(this);
        state_ = State::kNextRound;
        return;
    }
    const Cycle due = event_queue_->now_ + after;
    if (state_ == State::kTimed && due_ <= due) return;
    state_ = State::kTimed;
    due_ = due;
    event_queue_->push({due, number_, ++telling_});
}

}  // namespace ptosim
