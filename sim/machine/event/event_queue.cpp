#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn

#include "sim/machine/event/event_queue.h"

#include <algorithm>
#include <utility>

namespace ptosim {
namespace {

// One unit of SystemC's integer time is one cycle.
sc_core::sc_time cycles(Cycle count) { return sc_core::sc_time::from_value(count); }

// The code of actors runs on the event queue's stack, including semantics and observers.
constexpr size_t kStack = 4 << 20;

}  // namespace

// ---- events -------------------------------------------------------------------------------

Event::Event(EventQueue& event_queue, Actor* always)
    : event_queue_{&event_queue},
      always_{always},
      number_{static_cast<uint32_t>(event_queue.events_.size())} {
    event_queue.events_.push_back(this);
}

void Event::cancel() {
    if (state_ == State::kNextDelta) {  // as in SystemC, the last event takes the free place
        auto& events = event_queue_->next_delta_;
        Event** const last = events.data() + events.size() - 1;
        *std::find(events.data(), last, this) = *last;
        events.shrink_to(events.size() - 1);
    }
    state_ = State::kNone;
}

void Event::schedule_others() {
    for (size_t i = also_waiting_.size(); i-- > 0;) event_queue_->schedule(*also_waiting_[i]);
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

// ---- the queue ---------------------------------------------------------------------------

EventQueue::EventQueue(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(EventQueue);
    SC_THREAD(process);
    set_stack_size(kStack);
    sensitive << begun_;
    dont_initialize();
}

void EventQueue::start() {
    Appendable<Actor*> urgent, normal;
    urgent.swap(urgent_);
    normal.swap(normal_);
    run();
    urgent.swap(urgent_);
    normal.swap(normal_);
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
            work();
        } catch (...) {
            thrown_ = std::current_exception();
        }
        sc_core::wait();
    }
}

void EventQueue::work() {
    do {
        run_delta_cycles();
    } while (!stopped_ && next_cycle());
}

// Runs the delta cycles of this cycle until no actor is scheduled.
void EventQueue::run_delta_cycles() {
    for (;;) {
        act(urgent_);
        act(normal_);
        for (size_t i = next_delta_.size(); i-- > 0;) next_delta_[i]->fire();
        next_delta_.shrink_to(0);
        if (stopped_ || (urgent_.empty() && normal_.empty())) return;
    }
}

void EventQueue::act(Appendable<Actor*>& actors) {
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

// Advances to the next cycle in which an actor acts. Returns false if there is none.
bool EventQueue::next_cycle() {
    if (neighbours_ != nullptr) return next_cycle_with_neighbours();
    do {
        while (heap_.size() > 1 && stale(heap_[1], *events_[heap_[1].event])) pop();
        if (heap_.size() == 1) return false;
        now_ = heap_[1].time;
        fire_next();
    } while (urgent_.empty() && normal_.empty());
    return true;
}

// Arrivals from outside act before the events of their cycle, whenever they were received.
bool EventQueue::next_cycle_with_neighbours() {
    do {
        while (heap_.size() > 1 && stale(heap_[1], *events_[heap_[1].event])) pop();
        const Cycle next = heap_.size() == 1 ? Neighbours::kNever : heap_[1].time;
        const Cycle to = neighbours_->await(next);
        if (to == Neighbours::kNever) return false;
        now_ = to;
        neighbours_->act(to);
        if (to == next) fire_next();
    } while (urgent_.empty() && normal_.empty() && next_delta_.empty());
    return true;
}

// Fires the events of the earliest cycle.
void EventQueue::fire_next() {
    do {
        const Entry top = heap_[1];
        pop();
        Event& event = *events_[top.event];
        if (!stale(top, event)) event.fire();
    } while (heap_.size() > 1 && heap_[1].time == now_);
}

void EventQueue::advance(Cycle to) {
    while (heap_.size() > 1 && stale(heap_[1], *events_[heap_[1].event])) pop();
    if (heap_.size() == 1) now_ = std::max(now_, to);
}

// Positions are in bytes, which saves instructions.
void EventQueue::pop() {
    const Entry moved = heap_[heap_.size() - 1];
    heap_.shrink_to(heap_.size() - 1);
    constexpr size_t kSize = sizeof(Entry);
    const size_t end = heap_.size() * kSize;
    if (end == kSize) return;
    auto* const heap = reinterpret_cast<std::byte*>(heap_.data());
    const auto entry = [heap](size_t at) -> Entry& { return *reinterpret_cast<Entry*>(heap + at); };
    size_t at = kSize, child = 2 * kSize;
    for (; child + kSize < end; child = 2 * at) {
        child += entry(child + kSize).time < entry(child).time ? kSize : 0;
        if (entry(child).time >= moved.time) {
            entry(at) = moved;
            return;
        }
        entry(at) = entry(child);
        at = child;
    }
    if (child < end && entry(child).time < moved.time) {
        entry(at) = entry(child);
        at = child;
    }
    entry(at) = moved;
}

void EventQueue::bring_clock_forward() {
    const sc_core::sc_time now = cycles(now_);
    if (now > sc_core::sc_time_stamp()) sc_core::wait(now - sc_core::sc_time_stamp());
}

void EventQueue::switch_to(sc_core::sc_event& resume) {
    bring_clock_forward();
    resume.notify();
    wait_for_return();
}

// ---- processes ----------------------------------------------------------------------------

Process::Process(EventQueue& event_queue, std::string name, unsigned stack,
                 std::function<void()> body)
    : event_queue_{event_queue}, name_{std::move(name)}, stack_{stack}, body_{std::move(body)} {}

void Process::resume() {
    if (std::exchange(made_, true)) return event_queue_.switch_to(resumed_);
    event_queue_.bring_clock_forward();
    make();
    event_queue_.wait_for_return();
}

void Process::make() {
    sc_core::sc_spawn_options options;
    options.set_stack_size(static_cast<int>(stack_));
    const auto body = [this] {
        body_();
        event_queue_.switch_back();
    };
    // Cores of several chips have the same names.
    sc_core::sc_spawn(body, sc_core::sc_gen_unique_name(name_.c_str()), &options);
}

void Process::yield() {
    event_queue_.switch_back();
    sc_core::wait(resumed_);
}

}  // namespace ptosim
