#include "sim/machine/event/event_queue.h"

#include "sim/machine/event/apart_threads.h"

#include <algorithm>
#include <span>
#include <utility>

namespace ptosim {
namespace {

// One unit of SystemC's integer time is one cycle.
sc_core::sc_time cycles(Cycle count) { return sc_core::sc_time::from_value(count); }

// The code of actors runs on the event queue's stack, including semantics and observers.
constexpr size_t kStack = 4 << 20;

}  // namespace

// ---- events -------------------------------------------------------------------------------

void Event::cancel() {
    if (state_ == State::kNextDelta) {
        auto& events = lane_->next_delta_;
        events.erase(std::find(events.data(), events.data() + events.size(), this));
    } else if (state_ == State::kTimed) {
        lane_->remove(*this);
    }
    state_ = State::kNone;
}

void Event::schedule_others() {
    for (size_t i = also_waiting_.size(); i-- > 0;) lane_->schedule(*also_waiting_[i]);
    also_waiting_.clear();
}

void Event::forget(const Actor& actor) {
    const auto at = std::find(also_waiting_.rbegin(), also_waiting_.rend(), &actor);
    Actor** const found = at != also_waiting_.rend() ? &*at
                          : waiting_ == &actor       ? &waiting_
                                                     : nullptr;
    if (found == nullptr) return;
    if (also_waiting_.empty()) {
        waiting_ = nullptr;
        return;
    }
    *found = also_waiting_.back();
    also_waiting_.pop_back();
}

// ---- lanes --------------------------------------------------------------------------------

Lane::Lane(EventQueue& event_queue)
    : event_queue_{event_queue},
      now_{&event_queue.now_},
      number_{static_cast<unsigned>(event_queue.lanes_.size())} {
    event_queue.lanes_.push_back(this);
}

// Between the runs of an event queue nothing is running, either.
void Lane::push_from_outside(Event& event, Cycle after) {
    const Cycle time = event_queue_.now() + after;
    if (event.state_ == Event::State::kTimed) {
        if (event.time_ <= time) return;
        remove(event);
    }
    event.state_ = Event::State::kTimed;
    event.time_ = time;
    push(event, time);
    if (now_ == &own_now_)
        event_queue_.earliest_arrival_ = std::min(event_queue_.earliest_arrival_, time);
    else if (event_queue_.works_ && !event_queue_.apart_)
        event_queue_.calendar_.add(number_, time);
}

void Lane::remove(const Event& event) {
    for (size_t i = timed_.size(); i-- > 0;)
        if (timed_[i].event == &event) return timed_.erase(&timed_[i]);
}

Cycle Lane::next() const {
    if (has_scheduled()) return now();
    return timed_.empty() ? LaneCalendar::kNever : timed_.back().time();
}

void Lane::run() {
    const struct Running {
        bool& running;
        explicit Running(bool& flag) : running{flag} { running = true; }
        ~Running() { running = false; }
    } running{running_};
    while (!timed_.empty() && timed_.back().time() == now()) {
        Event* const event = timed_.back().event;
        timed_.shrink_to(timed_.size() - 1);
        event->fire();
    }
    for (;;) {
        act(urgent_);
        act(normal_);
        for (size_t i = next_delta_.size(); i-- > 0;) next_delta_[i]->fire();
        next_delta_.shrink_to(0);
        if (event_queue_.stopped_ || (urgent_.empty() && normal_.empty())) return;
    }
}

void Lane::act(Appendable<Actor*>& actors) {
    const size_t count = actors.size();  // actors scheduled meanwhile act in the next delta cycle
    for (size_t i = 0; i < count; ++i) {
        Actor* const actor = actors[i];
        actor->scheduled_ = false;
        actor->act_(actor->owner_);
    }
    const size_t more = actors.size() - count;
    std::copy_n(actors.data() + count, more, actors.data());
    actors.shrink_to(more);
}

void Lane::part(Cycle now) {
    own_now_ = now;
    now_ = &own_now_;
    halted_ = false;
    limit_ = now;
}

void Lane::rejoin() { now_ = &event_queue_.now_; }

void Lane::run_to_limit() {
    try {
        for (Cycle time = next(); time < limit_ && !halted_; time = next()) {
            own_now_ = time;
            run();
        }
    } catch (...) {
        thrown_ = std::current_exception();
        halted_ = true;
    }
}

// ---- the queue ---------------------------------------------------------------------------

EventQueue::EventQueue(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(EventQueue);
    SC_THREAD(process);
    set_stack_size(kStack);
    sensitive << begun_;
    dont_initialize();
}

void EventQueue::start() {
    only_starts_ = true;
    run();
    only_starts_ = false;
}

void EventQueue::run() {
    stopped_ = false;
    begun_.notify(sc_core::SC_ZERO_TIME);
    sc_core::sc_start();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void EventQueue::process() {
    for (;;) {
        try {
            if (!only_starts_) work();
        } catch (...) {
            thrown_ = std::current_exception();
        }
        works_ = false;
        bring_clock_forward();
        sc_core::wait();
    }
}

void EventQueue::work() {
    works_ = true;
    calendar_.begin(static_cast<unsigned>(lanes_.size()), now_);
    for (unsigned i = 0; i < lanes_.size(); ++i)
        if (const Cycle next = lanes_[i]->next(); next != LaneCalendar::kNever) calendar_.add(i, next);
    do {
        if (exchange_ != nullptr) return work_apart();
        run_lanes();
        while (!stopped_ && !closing_.empty()) {
            close_cycle();
            run_lanes();
        }
    } while (!stopped_ && next_cycle());
}

// Runs the lanes that have something to do in this cycle, until none has.
void EventQueue::run_lanes() {
    for (;;) {
        const unsigned number = calendar_.take();
        if (number == LaneCalendar::kNone) return;
        Lane& lane = *lanes_[number];
        Cycle next = lane.next();
        if (next == now_) {
            lane.run();
            if (stopped_) return;
            next = lane.next();
        }
        if (next != LaneCalendar::kNever) calendar_.add(number, next);
    }
}

void EventQueue::close_cycle() {
    Appendable<Actor*> actors;
    actors.swap(closing_);
    for (size_t i = 0; i < actors.size(); ++i) {
        actors[i]->scheduled_ = false;
        actors[i]->act_(actors[i]->owner_);
    }
}

// ---- lanes apart --------------------------------------------------------------------------

// In turns, the lanes run as far as nothing can reach them, and their requests are settled.
void EventQueue::work_apart() {
    Exchange& exchange = *std::exchange(exchange_, nullptr);
    const std::span<Lane* const> lanes = std::span(lanes_).subspan(1);
    struct Apart {
        EventQueue& queue;
        std::span<Lane* const> lanes;
        Apart(EventQueue& event_queue, std::span<Lane* const> parted) : queue{event_queue}, lanes{parted} {
            queue.apart_ = true;
            for (Lane* lane : lanes) lane->part(queue.now_);
        }
        ~Apart() {
            for (Lane* lane : lanes) {
                if (!queue.stopped_) queue.now_ = std::max(queue.now_, lane->now());
                lane->rejoin();
            }
            queue.apart_ = false;
        }
    } apart(*this, lanes);
    ApartThreads threads(threads_, lanes.size());
    for (Cycle horizon = now_; horizon != LaneCalendar::kNever && !stopped_;) {
        exchange.set_limits(horizon);
        threads.run([&](size_t lane) { lanes[lane]->run_to_limit(); });
        horizon = LaneCalendar::kNever;
        for (Lane* lane : lanes) {
            if (lane->thrown_) std::rethrow_exception(std::exchange(lane->thrown_, nullptr));
            horizon = std::min(horizon, lane->reached());
        }
        horizon = settle(exchange, horizon);
    }
}

// Runs the shared lane, and settles requests, up to the cycle that all lanes have reached. Returns the cycle in which a
// lane has to go on.
Cycle EventQueue::settle(Exchange& exchange, Cycle horizon) {
    while (!stopped_) {
        earliest_arrival_ = LaneCalendar::kNever;
        const Cycle event = shared_.next(), request = exchange.first_request();
        if (event <= std::min(horizon, request) && event != LaneCalendar::kNever) {
            now_ = event;
            shared_.run();
        } else if (request < horizon) {
            now_ = request;
            exchange.settle();
        } else {
            break;
        }
        horizon = std::min(horizon, earliest_arrival_);
    }
    return horizon;
}

// The next cycle in which a lane acts. The calendar also has cycles of events that were cancelled since.
Cycle EventQueue::next_time() {
    for (;;) {
        const Cycle time = calendar_.next();
        if (time == LaneCalendar::kNever) return time;
        const unsigned number = calendar_.first(time);
        const Cycle next = lanes_[number]->next();
        if (next == time) return time;
        calendar_.remove(number, time);
        if (next != LaneCalendar::kNever) calendar_.add(number, next);
    }
}

// Advances to the next cycle in which an actor acts. Returns false if there is none.
bool EventQueue::next_cycle() {
    if (neighbours_ != nullptr) return next_cycle_with_neighbours();
    const Cycle next = next_time();
    if (next == LaneCalendar::kNever) return false;
    now_ = next;
    calendar_.advance(next);
    return true;
}

// Arrivals from outside act before the events of their cycle, whenever they were received.
bool EventQueue::next_cycle_with_neighbours() {
    static_assert(Neighbours::kNever == LaneCalendar::kNever);
    do {
        const Cycle to = neighbours_->await(next_time());
        if (to == Neighbours::kNever) return false;
        now_ = to;
        calendar_.advance(to);
        neighbours_->act(to);
    } while (next_time() != now_ && closing_.empty());
    return true;
}

void EventQueue::advance(Cycle to) {
    if (std::ranges::all_of(lanes_, [](const Lane* lane) { return lane->timed_.empty(); })) now_ = std::max(now_, to);
}

void EventQueue::bring_clock_forward() {
    const sc_core::sc_time now = cycles(now_);
    if (now > sc_core::sc_time_stamp()) sc_core::wait(now - sc_core::sc_time_stamp());
}

}  // namespace ptosim
