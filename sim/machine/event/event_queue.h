// Discrete-event simulation: the event queue, and the clock that it advances.
//
// An Actor is a function of a part of the machine. It is scheduled when an Event for which it waits fires; it acts, and
// waits for another event. The order is fixed, does not depend on the host, and equals the order in which SystemC runs
// its processes. A cycle consists of delta cycles: actors scheduled in one act in the next. Within a delta cycle urgent
// actors act before the others, each kind in the order in which their events fired. An actor costs one call, a
// twentieth of a SystemC process.
//
// Code that needs a separate stack, such as the control flow of a kernel, is a Process: a SystemC process that is made
// on first use. The event queue is a SystemC process, too: before it switches to another process it advances SystemC's
// clock to its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "sim/machine/event/cycle.h"
#include "sim/machine/event/neighbours.h"

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
    bool scheduled_ = false;
};

// Fires once for each notification that is not cancelled, and then schedules the actors that wait for it. Must live as
// long as its event queue.
class Event {
 public:
    explicit Event(EventQueue& event_queue, Actor* always = nullptr);
    // `always` waits for every firing.
    Event(EventQueue& event_queue, Actor& always) : Event(event_queue, &always) {}
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    // Fires `after` cycles from now; 0: in the next delta cycle. If there are several notifications, the earliest
    // counts.
    inline void notify(Cycle after = 0);
    void cancel();
    // Schedules the actor when the event fires next.
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
    enum class State : uint8_t { kNone, kNextDelta, kTimed };

    inline void fire();
    void schedule_others();

    EventQueue* event_queue_;
    Actor* always_ = nullptr;
    Actor* waiting_ = nullptr;  // the first; few events have more
    Cycle time_ = 0;            // at which it fires, if kTimed
    State state_ = State::kNone;
    uint32_t number_;          // index in the event queue
    uint32_t generation_ = 0;  // of its last timed notification: older queue entries are stale
    std::vector<Actor*> also_waiting_;
};

// An event for actors that wait until a condition holds. Notifying it costs nothing while no actor waits. A notified
// actor checks the condition again.
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

// A growing array without destructors to run; faster to append to than a vector where that is
// compiled in place.
template <class T>
class Appendable {
 public:
    explicit Appendable(size_t size = 0) {
        for (size_t i = 0; i < size; ++i) append({});
    }
    Appendable(const Appendable&) = delete;
    Appendable& operator=(const Appendable&) = delete;

    bool empty() const { return size_ == 0; }
    size_t size() const { return size_; }
    T* data() { return data_.get(); }
    T& operator[](size_t i) { return data_[i]; }
    void append(const T& value) {
        if (size_ == capacity_) [[unlikely]]
            grow();
        data_[size_++] = value;
    }
    void shrink_to(size_t size) { size_ = size; }
    void swap(Appendable& other) {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

 private:
    [[gnu::noinline, gnu::cold]] void grow() {
        capacity_ = capacity_ == 0 ? 64 : 2 * capacity_;
        auto larger = std::make_unique<T[]>(capacity_);
        std::copy(data_.get(), data_.get() + size_, larger.get());
        data_ = std::move(larger);
    }

    std::unique_ptr<T[]> data_;
    size_t size_ = 0, capacity_ = 0;
};

class EventQueue : public sc_core::sc_module {
 public:
    explicit EventQueue(sc_core::sc_module_name name);

    // Core cycles since the chip came up.
    Cycle now() const { return now_; }
    // Schedules an actor for the first delta cycle of the first run, in the order of the calls.
    void begin_with(Actor& actor) { schedule(actor); }
    // Runs until nothing is left to do or stop() is called. Rethrows exceptions of actors.
    void run();
    // Starts SystemC, as the first run does otherwise: a run in which no actor acts.
    void start();
    // Ends run() after this delta cycle.
    void stop() { stopped_ = true; }

    // Synchronises the clock with other simulations from now on; null: runs alone.
    void attend(Neighbours* neighbours) { neighbours_ = neighbours; }
    // Advances the time between runs, while no event is due.
    void advance(Cycle to);

    // For an actor that owns a process: runs the process that waits for `resume` until it calls switch_back().
    void switch_to(sc_core::sc_event& resume);
    void switch_back() { returned_.notify(); }

 private:
    friend class Event;
    friend class Process;
    // A timed notification. Stale if the event has been notified again or cancelled since.
    struct Entry {
        Cycle time;
        uint32_t event;  // number of the event
        uint32_t generation;
    };
    static bool stale(const Entry& entry, const Event& event) {
        return event.state_ != Event::State::kTimed || event.generation_ != entry.generation;
    }

    void process();
    void work();
    void bring_clock_forward();
    void wait_for_return() { sc_core::wait(returned_); }
    void run_delta_cycles();
    bool next_cycle();
    bool next_cycle_with_neighbours();
    void fire_next();
    void schedule(Actor& actor) {
        if (std::exchange(actor.scheduled_, true)) return;
        (actor.kind_ == Actor::Kind::kUrgent ? urgent_ : normal_).append(&actor);
    }
    void act(Appendable<Actor*>& actors);
    inline void push(const Entry& entry);
    void pop();

    Cycle now_ = 0;
    bool stopped_ = false;
    std::vector<Event*> events_;
    Appendable<Entry> heap_{1};           // a binary heap from index 1 on, the earliest first
    Appendable<Event*> next_delta_;       // events that fire in the next delta cycle
    Appendable<Actor*> urgent_, normal_;  // scheduled actors
    std::exception_ptr thrown_;
    sc_core::sc_event begun_, returned_;
    Neighbours* neighbours_ = nullptr;
};

// A process of an actor: code with a separate stack.
class Process {
 public:
    // Calls `body`, on a stack of `stack` bytes, when it is first resumed.
    Process(EventQueue& event_queue, std::string name, unsigned stack, std::function<void()> body);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Called by the actor: the process runs until it yields or ends.
    void resume();
    // Called by the process: the event queue continues until the actor resumes the process.
    void yield();

 private:
    void make();

    EventQueue& event_queue_;
    const std::string name_;
    const unsigned stack_;
    const std::function<void()> body_;
    bool made_ = false;
    sc_core::sc_event resumed_;
};

// The heap takes the same steps as SystemC's queue, so that events of one cycle fire in the same order.
void EventQueue::push(const Entry& entry) {
    size_t at = heap_.size();
    heap_.append(entry);
    Entry* const heap = heap_.data();
    for (size_t parent = at / 2; parent > 0 && heap[parent].time > entry.time; parent /= 2) {
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = entry;
}

// The order among several waiting actors is SystemC's, too.
void Event::fire() {
    state_ = State::kNone;
    if (always_ != nullptr) event_queue_->schedule(*always_);
    if (waiting_ == nullptr) return;
    event_queue_->schedule(*std::exchange(waiting_, nullptr));
    if (!also_waiting_.empty()) [[unlikely]]
        schedule_others();
}

void Event::notify(Cycle after) {
    if (state_ == State::kNextDelta) return;
    if (after == 0) {
        event_queue_->next_delta_.append(this);
        state_ = State::kNextDelta;
        return;
    }
    const Cycle time = event_queue_->now_ + after;
    if (state_ == State::kTimed && time_ <= time) return;
    state_ = State::kTimed;
    time_ = time;
    event_queue_->push({time, number_, ++generation_});
}

}  // namespace ptosim
