// Discrete-event simulation: events, the lanes that order them, and the event queue, which advances the clock.
//
// An Actor is a function of a part of the machine. It is scheduled when an Event for which it waits fires; it acts, and
// waits for another event. A part of the machine whose actors and events are ordered among themselves is a Lane: each
// cluster is one, and everything that clusters share is another. The order follows from the machine and depends neither
// on the host nor on the history of other lanes:
//
// - In each cycle the lanes that have something to do act one after the other, the shared one first.
// - A cycle of a lane consists of delta cycles: actors scheduled in one act in the next.
// - Within a delta cycle urgent actors act before the others, each kind in the order in which their events fired.
//
// Timed events of one cycle fire in the order of their notifications, and notifications from other lanes count first.
// After the last delta cycle of all lanes, the closing actors act: they settle requests of the lanes to the memory
// that they share, and to each other. If that wakes a lane, the cycle continues.
//
// Lanes may also run apart from each other (run_apart()), each at its own time and on several threads, as far as
// nothing can reach them from outside. Their requests are settled in the same order.
//
// Code that needs a separate stack, such as the control flow of a kernel, is a Process (process.h). The event queue is a
// process of SystemC, whose clock it advances at the end of each run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <systemc>
#include <utility>
#include <vector>

#include "sim/machine/event/cycle.h"
#include "sim/machine/event/lane_calendar.h"
#include "sim/machine/event/neighbours.h"

namespace ptosim {

class EventQueue;
class Lane;

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
    friend class Lane;
    Actor(void (*act)(void*), void* owner, Kind kind) : act_{act}, owner_{owner}, kind_{kind} {}

    void (*act_)(void*);
    void* owner_;
    Kind kind_;
    bool scheduled_ = false;
};

// Fires once for each notification that is not cancelled, and then schedules the actors that wait
// for it, in its lane. Must live as long as its lane.
class Event {
 public:
    // `always` waits for every firing.
    explicit Event(Lane& lane, Actor* always = nullptr) : lane_{&lane}, always_{always} {}
    Event(Lane& lane, Actor& always) : Event(lane, &always) {}
    // In the shared lane.
    explicit Event(EventQueue& event_queue, Actor* always = nullptr);
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
    friend class Lane;
    enum class State : uint8_t { kNone, kNextDelta, kTimed };

    inline void fire();
    void schedule_others();

    Lane* lane_;
    Actor* always_ = nullptr;
    Actor* waiting_ = nullptr;  // the first; few events have more
    Cycle time_ = 0;            // at which it fires, if kTimed
    State state_ = State::kNone;
    std::vector<Actor*> also_waiting_;
};

// An event for actors that wait until a condition holds. Notifying it costs nothing while no actor waits. A notified
// actor checks the condition again.
class Wakeup {
 public:
    template <class Where>
    explicit Wakeup(Where& where) : event_{where} {}
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
    Appendable() = default;
    Appendable(const Appendable&) = delete;
    Appendable& operator=(const Appendable&) = delete;

    bool empty() const { return size_ == 0; }
    size_t size() const { return size_; }
    T* data() { return data_.get(); }
    T& operator[](size_t i) { return data_[i]; }
    const T& back() const { return data_[size_ - 1]; }
    void append(const T& value) {
        if (size_ == capacity_) [[unlikely]]
            grow();
        data_[size_++] = value;
    }
    void shrink_to(size_t size) { size_ = size; }
    // Takes out an element and keeps the order of the others.
    void erase(const T* at) {
        std::copy(at + 1, static_cast<const T*>(data_.get() + size_),
                  data_.get() + (at - data_.get()));
        --size_;
    }
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

// A part of the machine whose actors and events are ordered among themselves.
class Lane {
 public:
    explicit Lane(EventQueue& event_queue);
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    // Core cycles since the chip came up.
    Cycle now() const { return *now_; }
    // Schedules an actor for the first delta cycle of the first run, in the order of the calls.
    void begin_with(Actor& actor) { schedule(actor); }

    // ---- while lanes run apart

    // From outside of the lane: it runs the cycles before `limit`, which no other lane can affect.
    void set_limit(Cycle limit) { limit_ = limit; }
    // From within: something may come back to it in this cycle.
    void limit_to(Cycle limit) { limit_ = std::min(limit_, limit); }
    // From within: it ends after this cycle and asks for nothing more.
    void halt() { halted_ = true; }

 private:
    friend class Event;
    friend class EventQueue;
    // A timed notification. The key is twice the time, and one more for the lane's own
    // notifications.
    struct Entry {
        uint64_t key = 0;
        Event* event = nullptr;
        Cycle time() const { return key / 2; }
    };
    void schedule(Actor& actor) {
        if (std::exchange(actor.scheduled_, true)) return;
        (actor.kind_ == Actor::Kind::kUrgent ? urgent_ : normal_).append(&actor);
    }
    inline void push(Event& event, Cycle time);
    void push_from_outside(Event& event, Cycle after);
    void remove(const Event& event);
    bool has_scheduled() const {
        return !urgent_.empty() || !normal_.empty() || !next_delta_.empty();
    }
    // The cycle in which it has to act next; kNever: none.
    Cycle next() const;
    // Fires the events of this cycle, and runs its delta cycles until no actor is scheduled.
    void run();
    void act(Appendable<Actor*>& actors);
    void part(Cycle now);
    void rejoin();
    void run_to_limit();
    // Everything that it can ask for before this cycle was asked. A lane without events goes on only when something
    // arrives.
    Cycle reached() const { return halted_ || next() == LaneCalendar::kNever ? LaneCalendar::kNever : limit_; }

    EventQueue& event_queue_;
    const Cycle* now_;  // the clock's, or its own
    Cycle own_now_ = 0;
    Cycle limit_ = 0;
    bool halted_ = false;
    std::exception_ptr thrown_;
    const unsigned number_;
    bool running_ = false;
    Appendable<Entry> timed_;             // the earliest last; of one key, the first notified last
    Appendable<Event*> next_delta_;       // events that fire in the next delta cycle
    Appendable<Actor*> urgent_, normal_;  // scheduled actors
};

// Requests of lanes that run apart.
class Exchange {
 public:
    virtual ~Exchange() = default;
    // The earliest cycle of a request that was not settled; LaneCalendar::kNever: there is none.
    virtual Cycle first_request() const = 0;
    // Settles the requests of this cycle, which is now.
    virtual void settle() = 0;
    // Sets the limits of the lanes. All requests before `horizon` were settled.
    virtual void set_limits(Cycle horizon) = 0;
};

class EventQueue : public sc_core::sc_module {
 public:
    explicit EventQueue(sc_core::sc_module_name name);

    // Core cycles since the chip came up.
    Cycle now() const { return now_; }
    // The lane of everything that is shared.
    Lane& shared() { return shared_; }
    void begin_with(Actor& actor) { shared_.begin_with(actor); }
    // The actor acts after all delta cycles of this cycle. Closing actors act in the order of the
    // calls.
    void close_cycle_with(Actor& actor) {
        if (!std::exchange(actor.scheduled_, true)) closing_.append(&actor);
    }
    // Runs until nothing is left to do or stop() is called. Rethrows exceptions of actors.
    void run();
    // Starts SystemC, as the first run does otherwise: a run in which no actor acts.
    void start();
    // Ends run() after this delta cycle.
    void stop() { stopped_ = true; }

    // Synchronises the clock with other simulations from now on; null: runs alone.
    void attend(Neighbours* neighbours) { neighbours_ = neighbours; }
    // From the next cycle to the end of the run, the lanes run apart, on at most `threads` threads. The shared one
    // works when they meet.
    void run_apart(Exchange& exchange, unsigned threads) {
        exchange_ = &exchange;
        threads_ = threads;
    }
    bool is_apart() const { return apart_; }
    // Advances the time between runs, while no event is due.
    void advance(Cycle to);

 private:
    friend class Lane;

    void process();
    void work();
    void bring_clock_forward();
    Cycle next_time();
    bool next_cycle();
    bool next_cycle_with_neighbours();
    void run_lanes();
    void close_cycle();
    void work_apart();
    Cycle settle(Exchange& exchange, Cycle horizon);

    Cycle now_ = 0;
    bool stopped_ = false;
    bool only_starts_ = false;
    bool works_ = false;  // within work()
    bool apart_ = false;  // within work_apart()
    Cycle earliest_arrival_ = LaneCalendar::kNever;  // at a lane that runs apart
    Exchange* exchange_ = nullptr;
    unsigned threads_ = 1;
    std::vector<Lane*> lanes_;
    LaneCalendar calendar_;
    Lane shared_{*this};
    Appendable<Actor*> closing_;
    std::exception_ptr thrown_;
    sc_core::sc_event begun_;
    Neighbours* neighbours_ = nullptr;
};

inline Event::Event(EventQueue& event_queue, Actor* always) : Event(event_queue.shared(), always) {}

// A lane has few timed events, so that an ordered array is faster than a heap.
void Lane::push(Event& event, Cycle time) {
    const uint64_t key = 2 * time + (running_ ? 1 : 0);
    size_t at = timed_.size();
    timed_.append({});
    Entry* const entries = timed_.data();
    for (; at > 0 && entries[at - 1].key <= key; --at) entries[at] = entries[at - 1];
    entries[at] = {key, &event};
}

// The order among several waiting actors is SystemC's.
void Event::fire() {
    state_ = State::kNone;
    if (always_ != nullptr) lane_->schedule(*always_);
    if (waiting_ == nullptr) return;
    lane_->schedule(*std::exchange(waiting_, nullptr));
    if (!also_waiting_.empty()) [[unlikely]]
        schedule_others();
}

void Event::notify(Cycle after) {
    if (state_ == State::kNextDelta) return;
    if (!lane_->running_) [[unlikely]]
        return lane_->push_from_outside(*this, after);
    if (after == 0) {
        if (state_ == State::kTimed) lane_->remove(*this);
        lane_->next_delta_.append(this);
        state_ = State::kNextDelta;
        return;
    }
    const Cycle time = lane_->now() + after;
    if (state_ == State::kTimed) {
        if (time_ <= time) return;
        lane_->remove(*this);
    }
    state_ = State::kTimed;
    time_ = time;
    lane_->push(*this, time);
}

}  // namespace ptosim
