// Expected orders follow from the rules in event_queue.h, by hand.
#include "sim/machine/event/event_queue.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sim/machine/event/apart_threads.h"
#include "sim/machine/event/process.h"
#include "sim/machine/event/systemc_test.h"

namespace ptosim {
namespace {

// Logs its name and the cycle each time it acts.
struct Note {
    Note(EventQueue& queue, std::vector<std::string>& log, std::string name,
         Actor::Kind kind = Actor::Kind::kNormal)
        : queue{queue}, log{log}, name{std::move(name)}, actor{Actor::of<&Note::act>(this, kind)} {}
    void act() { log.push_back(name + "@" + std::to_string(queue.now())); }

    EventQueue& queue;
    std::vector<std::string>& log;
    std::string name;
    Actor actor;
};
using Log = std::vector<std::string>;

SYSTEMC_TEST("events fire in order of time, whatever the order of their notifications") {
    EventQueue queue("queue");
    Log log;
    Note a(queue, log, "a"), b(queue, log, "b"), c(queue, log, "c");
    Event at_30(queue, a.actor), at_10(queue, b.actor), at_20(queue, c.actor);
    at_30.notify(30);
    at_10.notify(10);
    at_20.notify(20);
    queue.run();
    CHECK(log == Log{"b@10", "c@20", "a@30"});
    CHECK(queue.now() == 30);
}

SYSTEMC_TEST("of several notifications the earliest counts, and an event fires once for them") {
    EventQueue queue("queue");
    Log log;
    Note a(queue, log, "a");
    Event event(queue, a.actor);
    event.notify(20);
    event.notify(10);  // its entry for 20 is stale from now on
    event.notify(15);
    queue.run();
    CHECK(log == Log{"a@10"});
    CHECK(queue.now() == 10);
}

SYSTEMC_TEST("a cancelled event does not fire, and may be notified again") {
    EventQueue queue("queue");
    Log log;
    Note a(queue, log, "a"), b(queue, log, "b");
    Event cancelled(queue, a.actor), again(queue, b.actor), at_once(queue, a.actor);
    cancelled.notify(5);
    cancelled.cancel();
    again.notify(5);
    again.cancel();
    again.notify(8);
    at_once.notify();
    at_once.cancel();
    queue.run();
    CHECK(log == Log{"b@8"});
}

SYSTEMC_TEST("urgent actors act before the others of their delta cycle") {
    EventQueue queue("queue");
    Log log;
    Note normal(queue, log, "normal"), urgent(queue, log, "urgent", Actor::Kind::kUrgent);
    Event first(queue, normal.actor), second(queue, urgent.actor);
    first.notify(10);
    second.notify(10);
    queue.run();
    CHECK(log == Log{"urgent@10", "normal@10"});
}

SYSTEMC_TEST("what is notified without delay acts in the next delta cycle of the same cycle") {
    EventQueue queue("queue");
    Log log;
    Note late(queue, log, "late", Actor::Kind::kUrgent), other(queue, log, "other");
    Event next(queue, late.actor);
    struct Chain {
        void act() {
            log.push_back("first");
            next.notify();
        }
        Log& log;
        Event& next;
    } chain{log, next};
    Actor first = Actor::of<&Chain::act>(&chain);
    Event begin(queue, first), same(queue, other.actor);
    begin.notify(7);
    same.notify(7);
    queue.run();
    // Urgent, but one delta cycle later.
    CHECK(log == Log{"first", "other@7", "late@7"});
}

SYSTEMC_TEST(
    "a wakeup that nobody waits for costs nothing, and one actor wakes once for each wait") {
    EventQueue queue("queue");
    Log log;
    Note a(queue, log, "a"), timer(queue, log, "timer");
    Wakeup wakeup(queue);
    wakeup.notify();  // nobody waits
    wakeup.await(a.actor);
    wakeup.notify();
    queue.run();
    CHECK(log == Log{"a@0"});
    wakeup.notify();  // it no longer waits
    Event later(queue, timer.actor);
    later.notify(3);
    queue.run();
    CHECK(log == Log{"a@0", "timer@3"});
}

SYSTEMC_TEST("a process begins when it is resumed first, and goes on where it has yielded") {
    EventQueue queue("queue");
    Log log;
    Process process(64 * 1024, [&] {
        log.push_back("begins@" + std::to_string(queue.now()));
        process.yield();
        log.push_back("goes on@" + std::to_string(queue.now()));
    });
    struct Resumer {
        Process& process;
        void act() { process.resume(); }
    } resumer{process};
    Actor actor = Actor::of<&Resumer::act>(&resumer);
    queue.begin_with(actor);
    queue.start();  // SystemC; no actor acts
    CHECK(log.empty());
    queue.run();
    CHECK(log == Log{"begins@0"});
    Event later(queue, actor);
    later.notify(5);
    queue.run();
    CHECK(log == Log{"begins@0", "goes on@5"});
    Process unused(64 * 1024, [&] { log.push_back("never"); });
    queue.run();
    CHECK(log.size() == 2);
}

// A lane with an actor and an event.
struct Part {
    Part(EventQueue& queue, std::vector<std::string>& log, std::string name)
        : lane{queue}, log{log}, name{std::move(name)}, event{lane, actor} {}
    void act() {
        log.push_back(name + "@" + std::to_string(lane.now()));
        if (then) then();
    }

    Lane lane;
    std::vector<std::string>& log;
    std::string name;
    std::function<void()> then{};
    Actor actor = Actor::of<&Part::act>(this);
    Event event;
};

SYSTEMC_TEST("in a cycle the shared lane acts first, and the others in the order in which they were made") {
    EventQueue queue("queue");
    Log log;
    Part first(queue, log, "first"), second(queue, log, "second");
    Note shared(queue, log, "shared");
    Event of_shared(queue, shared.actor);
    second.event.notify(4);
    first.event.notify(4);
    of_shared.notify(4);
    queue.run();
    CHECK(log == Log{"shared@4", "first@4", "second@4"});
}

SYSTEMC_TEST("events of one cycle fire in the order of their notifications, those from other lanes first") {
    EventQueue queue("queue");
    Log log;
    Part part(queue, log, "begin"), other(queue, log, "other");
    struct Named {
        Log& log;
        const char* name;
        void act() { log.push_back(name); }
    } one{log, "one"}, two{log, "two"}, outside{log, "outside"};
    Actor act_one = Actor::of<&Named::act>(&one), act_two = Actor::of<&Named::act>(&two),
          act_outside = Actor::of<&Named::act>(&outside);
    Event event_one(part.lane, act_one), event_two(part.lane, act_two), from_outside(part.lane, act_outside);
    part.then = [&] {
        event_two.notify(5);
        event_one.notify(5);
    };
    other.then = [&] { from_outside.notify(3); };
    part.event.notify(10);
    other.event.notify(12);  // its notification is the last, also for cycle 15
    queue.run();
    CHECK(log == Log{"begin@10", "other@12", "outside", "two", "one"});
}

SYSTEMC_TEST("a closing actor acts after all lanes, and a lane that it wakes in the same cycle") {
    EventQueue queue("queue");
    Log log;
    Part first(queue, log, "first"), second(queue, log, "second"), woken(queue, log, "woken");
    struct Closing {
        Log& log;
        Event& wakes;
        void act() {
            log.push_back("closing");
            wakes.notify();
        }
    } closing{log, woken.event};
    Actor actor = Actor::of<&Closing::act>(&closing);
    first.then = [&] { queue.close_cycle_with(actor); };
    first.event.notify(3);
    second.event.notify(3);
    queue.run();
    CHECK(log == Log{"first@3", "second@3", "closing", "woken@3"});
}

SYSTEMC_TEST("an event that was cancelled does not move the clock") {
    EventQueue queue("queue");
    Log log;
    Part part(queue, log, "part"), other(queue, log, "other");
    part.event.notify(5000);  // beyond the calendar's ring
    other.then = [&] { part.event.cancel(); };
    other.event.notify(1);
    queue.run();
    CHECK(log == Log{"other@1"});
    CHECK(queue.now() == 1);
}

// Lanes act every `step` cycles. Some of these times they ask for something that comes back 10 cycles later.
struct Asking : Exchange {
    struct Asker {
        Asker(EventQueue& queue, Cycle step) : lane{queue}, step{step}, next{lane, actor}, answer{lane, answered} {}
        void act() {
            if (lane.now() < 300) next.notify(step);
            if (lane.now() % 7 != 0 || requests.size() != answers.size()) return;
            requests.push_back(lane.now());
            lane.limit_to(lane.now() + 10);
        }
        void get() { answers.push_back(lane.now()); }

        Lane lane;
        Cycle step;
        Actor actor = Actor::of<&Asker::act>(this), answered = Actor::of<&Asker::get>(this);
        Event next, answer;
        std::vector<Cycle> requests, answers;
        size_t settled = 0;
    };
    explicit Asking(EventQueue& queue) : queue{queue} {
        for (Cycle step = 3; step < 13; ++step) {
            askers.push_back(std::make_unique<Asker>(queue, step));
            askers.back()->next.notify(step);
        }
    }
    Cycle first_request() const override {
        Cycle first = LaneCalendar::kNever;
        for (const auto& asker : askers)
            if (asker->settled < asker->requests.size()) first = std::min(first, asker->requests[asker->settled]);
        return first;
    }
    void settle() override {
        for (const auto& asker : askers) {
            if (asker->settled == asker->requests.size() || asker->requests[asker->settled] != queue.now()) continue;
            ++asker->settled;
            order.push_back(std::to_string(asker->step) + "@" + std::to_string(queue.now()));
            asker->answer.notify(10);
        }
    }
    void set_limits(Cycle) override {
        for (const auto& asker : askers) {
            Cycle limit = LaneCalendar::kNever;
            for (size_t i = asker->settled; i < asker->requests.size(); ++i)
                limit = std::min(limit, asker->requests[i] + 10);
            asker->lane.set_limit(limit);
        }
    }

    EventQueue& queue;
    std::vector<std::unique_ptr<Asker>> askers;
    Log order;
};

void check_apart(unsigned threads) {
    EventQueue queue("queue");
    Asking asking(queue);
    queue.run_apart(asking, threads);
    queue.run();
    Log expected;
    std::array<Cycle, 13> free{};  // by step: when the last answer has arrived
    for (Cycle cycle = 1; cycle < 313; ++cycle)
        for (Cycle step = 3; step < 13; ++step) {
            if (cycle % step != 0 || cycle % 7 != 0 || cycle - step >= 300 || cycle < free[step]) continue;
            expected.push_back(std::to_string(step) + "@" + std::to_string(cycle));
            free[step] = cycle + 10;
        }
    CHECK(asking.order == expected);
    for (const auto& asker : asking.askers) {
        REQUIRE(asker->answers.size() == asker->requests.size());
        for (size_t i = 0; i < asker->answers.size(); ++i) CHECK(asker->answers[i] == asker->requests[i] + 10);
    }
}

SYSTEMC_TEST("lanes that run apart are settled in the order of cycles and lanes") { check_apart(1); }
SYSTEMC_TEST("and so they are on several threads") { check_apart(3); }

TEST_CASE("each lane is run once between two meetings, on any number of threads") {
    const auto threads = GENERATE(1u, 2u, 3u, 8u);
    constexpr size_t kLanes = 5;
    std::array<unsigned, kLanes> runs{};
    ApartThreads team(threads, kLanes);
    for (unsigned meeting = 1; meeting <= 5000; ++meeting) {
        team.run([&](size_t lane) { ++runs[lane]; });
        bool once = true;
        for (const unsigned count : runs) once = once && count == meeting;
        REQUIRE(once);
    }
}

TEST_CASE("the calendar finds lanes in the order of their cycles") {
    constexpr unsigned kLanes = 100;  // more than a word has bits
    LaneCalendar calendar;
    std::set<std::pair<Cycle, unsigned>> reference;
    std::minstd_rand random(7);
    Cycle now = 12345;
    calendar.begin(kLanes, now);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        reference.insert({now + random() % 9000, lane});
    }
    for (const auto& [time, lane] : reference) calendar.add(lane, time);
    for (unsigned step = 0; step < 20000; ++step) {
        REQUIRE(calendar.next() == reference.begin()->first);
        now = calendar.next();
        REQUIRE(calendar.first(now) == reference.begin()->second);
        calendar.advance(now);
        for (unsigned lane = calendar.take(); lane != LaneCalendar::kNone; lane = calendar.take()) {
            REQUIRE(std::pair(now, lane) == *reference.begin());
            reference.erase(reference.begin());
            const Cycle next = now + 1 + random() % (random() % 10 == 0 ? 9000 : 50);
            reference.insert({next, lane});
            calendar.add(lane, next);
        }
        REQUIRE(reference.begin()->first > now);
    }
}

}  // namespace
}  // namespace ptosim
