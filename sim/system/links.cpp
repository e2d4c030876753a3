#include "sim/system/links.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>
#include <utility>

#include "sim/system/meeting.h"
#include "sim/system/polling.h"

namespace ptosim {
// Pacing of polls for other chips: first without rest, then until the chip that holds this one up has moved.
class Links::Patience {
 public:
    // Progress was made.
    void renew() { begin_ = Clock::now(), looks_ = 0; }
    Clock::duration waited() const { return Clock::now() - begin_; }
    // Returns true if it is time to check that the others still live.
    bool wait(ChipClocks::Clock* holds_up, const Promise& seen) {
        if (++looks_ < kWithoutRest) return false;
        if (holds_up != nullptr)
            holds_up->await_other_than(seen);
        else
            std::this_thread::yield();
        return looks_ % kBetweenChecks == 0;
    }

 private:
    static constexpr unsigned kWithoutRest = 50, kBetweenChecks = 64;
    unsigned looks_ = 0;
    Clock::time_point begin_ = Clock::now();
};

// ---- life ---------------------------------------------------------------------------------

uint64_t Links::bytes_of_pages(unsigned chips) {
    return sizeof(ChipClocks) + uint64_t{chips} * chips * sizeof(RingPages);
}

Links::Links(Chip& of, SharedPages pages, Setup setup)
    : RemoteWindows{of, setup.rank, setup.links},
      pages_{std::move(pages)},
      setup_{std::move(setup)},
      clocks_{reinterpret_cast<ChipClocks*>(pages_.data())},
      step_{std::max<Cycle>(1, least_latency() / 8)},
      launches_{setup_.launches},
      ended_(ranks(), setup_.launches) {
    for (const Window& window : setup_.windows) add_window(window);
    auto* const rings = reinterpret_cast<RingPages*>(pages_.data() + sizeof(ChipClocks));
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        to_.emplace_back(rings[chip() * ranks() + rank]);
        from_.emplace_back(rings[rank * ranks() + chip()]);
    }
    clock(chip()).process = getpid();
    promise(of.now(), false);
    of.join(this, this);
}

Links::~Links() {
    owner().join(nullptr, nullptr);
    clock(chip()).end();
}

Cycle Links::least_latency() const {
    Cycle least = kNever;
    for (unsigned rank = 0; rank < ranks(); ++rank) least = std::min(least, latency_to(rank));
    return least;
}

// ---- the clock ----------------------------------------------------------------------------

void Links::promise(Cycle time, bool parked) {
    promised_ = time;
    clock(chip()).write({time, parked, meetings_});
}

// No message that is not yet pushed arrives before the returned time. Parked chips send only answers until their hosts
// meet this chip's; if this chip asks for nothing, they need not be waited for.
Cycle Links::bound(bool asks) {
    Cycle least = kNever;
    slowest_ = nullptr;
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        if (rank == chip()) continue;
        const Promise its = clock(rank).read();
        if (its.time == kNever) continue;
        Cycle time = its.time;
        if (setup_.job) {
            if (its.parked && !asks) time = next_run_of(rank, its);
        } else if (its.parked && !asks && its.meetings == (meetings_ & ChipClocks::kMeetings)) {
            continue;
        }
        if (time == kNever) continue;
        const Cycle its_bound = time + latency_to(rank);
        if (its_bound >= least) continue;
        least = its_bound;
        slowest_ = &clock(rank);
        slowest_promise_ = its;
    }
    return least;
}

// Before it, a chip between two runs sends nothing by itself. It may wait for this chip's run, which has no end yet.
Cycle Links::next_run_of(unsigned rank, const Promise& its) const {
    const uint64_t begun = setup_.job->begun(rank);
    if ((begun & ChipClocks::kMeetings) != its.meetings) return its.time;
    const auto promise_of = [&](unsigned other) {
        return other == chip() && !idle_ ? kNever : clock(other).read().time;
    };
    return std::max(its.time, setup_.job->earliest(rank, begun, promise_of));
}

void Links::drain() {
    for (unsigned rank = 0; rank < ranks(); ++rank)
        for (std::vector<std::byte> bytes = from_[rank].take(); !bytes.empty(); bytes = from_[rank].take())
            receive(rank, std::move(bytes));
}

void Links::carry(unsigned to, std::vector<std::byte> message) {
    if (message.size() > MessageQueue::kMost)
        fail_input("U03", "a transfer of " + std::to_string(message.size() - sizeof(Message)) + " bytes to another chip",
                   "at most " + std::to_string(MessageQueue::kMost - sizeof(Message)));
    for (Patience patience; !to_[to].push(message);) {
        drain();  // otherwise two chips that send to each other would wait endlessly
        if (patience.wait(&clock(to), clock(to).read()) && !peers_live()) return;
    }
}

// True if no chip has done anything for a long time, and no message is under way.
bool Links::all_wait(Cycle now) {
    const Cycle most = PollLimit::most(owner().model());
    next_check_ = PollLimit::next_check(now);
    clock(chip()).quiet_since = setup_.quiet_since ? setup_.quiet_since() : owner().quiet_since();
    if (earliest() != kNever || awaits_answers()) return false;
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        const Promise its = clock(rank).read();
        if (its.time != kNever && !its.parked && clock(rank).quiet_since + most > now) return false;
    }
    return true;
}

// Each chip shares the addresses that its cores poll, so that all can report all.
void Links::fail_deadlock(Cycle now) {
    failure_ = PollLimit::deadlock(now);
    ChipClocks::Clock& mine = clock(chip());
    std::string text;
    for (const std::string& look : owner().looks()) text += "rank " + std::to_string(chip()) + ": " + look + "\n";
    text.copy(mine.looks, sizeof mine.looks - 1);
    mine.told.store(1, std::memory_order_release);
    constexpr std::chrono::seconds kMost{5};
    const Clock::time_point end = Clock::now() + kMost;
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        ChipClocks::Clock& its = clock(rank);
        const auto runs = [&] { return !its.ended() && !its.read().parked && process_runs(its.process); };
        while (its.told.load(std::memory_order_acquire) == 0 && runs() && Clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (its.told.load(std::memory_order_acquire) == 0) {
            failure_->notes.push_back("rank " + std::to_string(rank) + ": " +
                                      (its.read().parked ? "its host waits for the others" : "has ended"));
            continue;
        }
        std::istringstream lines(its.looks);
        for (std::string line; std::getline(lines, line);) failure_->notes.push_back(line);
    }
}

Cycle Links::await(Cycle next) {
    if (next >= next_check_ && next != kNever && all_wait(next)) {
        if (!setup_.job) fail_deadlock(next);  // else the run's report names what its tasks wait for
        return kNever;
    }
    if (next < bound_ && next < earliest()) {
        if (next >= promised_ + step_) promise(next, false);
        return next;
    }
    for (Patience patience;;) {
        const Cycle before = bound_;
        bound_ = bound(awaits_answers());
        if (bound_ != before) patience.renew();
        drain();  // after reading their promises
        const Cycle target = std::min(next, earliest());
        if (next == kNever && !awaits_answers()) return kNever;
        if (const Cycle mine = std::min(target, bound_); mine > promised_) promise(mine, false);
        if (target < bound_) return target;
        if (patience.wait(slowest_, slowest_promise_) && !(peers_live() && peers_move(patience))) return kNever;
    }
}

// Also returns true if the host of an awaited chip makes progress.
bool Links::peers_move(const Patience& patience) {
    constexpr std::chrono::seconds kMost{60}, kMostOfJob{300};
    if (patience.waited() < (setup_.job ? kMostOfJob : kMost)) return true;
    if (setup_.job) {
        fail("nothing has moved for five minutes: the host has given no chip a run that chip " +
                 std::to_string(chip()) + " waits for",
             "a task of a chip must not wait for one that its host submits after it has ended");
        return false;
    }
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        const Promise its = clock(rank).read();
        if (rank == chip() || its.parked || its.time + latency_to(rank) > bound_) continue;
        fail("the host of rank " + std::to_string(rank) + " has neither launched a kernel nor waited for the others "
             "for a minute, and this chip, rank " + std::to_string(chip()) + ", cannot pass its clock",
             "let hosts wait for each other by MPI_Barrier, MPI_Bcast or HcclBarrier");
        return false;
    }
    return true;
}

void Links::fail(std::string what, std::string hint) {
    Diagnostic d;
    d.code = "H27";
    d.category = Category::kDeadlock;
    d.message = std::move(what);
    d.hint = std::move(hint);
    d.cycle = owner().now();
    d.has_cycle = true;
    failure_ = std::move(d);
}

// Returns false, with a failure, if an awaited chip has ended.
bool Links::peers_live() {
    if (setup_.job && !setup_.job->host_runs()) {
        fail("the process that gives runs to the chips has ended", "look at what it has printed last");
        return false;
    }
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        const ChipClocks::Clock& its = clock(rank);
        const bool ended = its.ended();
        if (ended ? !awaits_answers() : its.process == 0 || process_runs(its.process)) continue;
        if (ended) {  // it may have answered before its end
            drain();
            if (has_received()) continue;
        }
        const std::string what = setup_.job ? "chip " : "rank ";
        fail(what + std::to_string(rank) + " has ended, and this chip, " + what + std::to_string(chip()) +
                 ", waits for it",
             "a rank has to live, and keep its windows, until all kernels that use them have ended");
        return false;
    }
    return true;
}

// ---- hosts that wait ----------------------------------------------------------------------

void Links::open(bool opened) {
    if (opened == std::exchange(opened_, opened) || setup_.job) return;
    const uint64_t window = own_window().here;
    if (opened)
        owner().global().open(window);
    else
        owner().global().close(window);
}

void Links::park() {
    clock(chip()).launches[meetings_ % 2] = launches_;
    promise(std::max(promised_, owner().now()), true);
}

// All leave a meeting a latency after the last has joined, and by then all earlier messages have arrived. So everything
// that arrives before the bound of the chips that still run can be applied here.
void Links::serve(const std::function<bool()>& waiting) {
    constexpr std::chrono::milliseconds kLongest{50};  // after that the meeting checks that all live
    for (Patience patience; patience.waited() < kLongest; patience.wait(slowest_, slowest_promise_)) {
        const Cycle end = bound(false);
        if (!waiting() || end == kNever) return;
        drain();
        while (earliest() < end) {
            open(true);
            apply_arrived(earliest());
        }
        if (end <= promised_) continue;
        promise(end, true);
        patience.renew();
    }
}

void Links::leave(Cycle last_came) {
    Cycle most = 0;
    for (unsigned rank = 0; rank < ranks(); ++rank) most = std::max(most, latency_to(rank));
    const Cycle end = last_came + most;
    drain();
    while (earliest() <= end) {
        open(true);
        apply_arrived(earliest());
    }
    open(false);
    owner().event_queue().advance(end);
    clock(chip()).quiet_since = end;
    bound_ = 0;
    for (unsigned rank = 0; rank < ranks(); ++rank) ended_[rank] = clock(rank).launches[meetings_ % 2];
    ++meetings_;
    promise(owner().now(), false);
}

// ---- runs of a job ------------------------------------------------------------------------

bool Links::begin_run() {
    const Job& job = *setup_.job;
    const uint64_t number = job.begun(chip());
    std::optional<Cycle> begin;
    const auto ready = [&] {
        if (!begin) begin = job.begin_of(chip(), number);
        bound_ = bound(false);
        return begin && bound_ > *begin;
    };
    for (Patience patience; !ready();) {
        drain();
        const Cycle end = std::min(bound_, begin.value_or(bound_));
        while (earliest() < end) apply_arrived(earliest());
        if (end > promised_ && end != kNever) {
            promise(end, true);
            patience.renew();
        }
        if (patience.wait(slowest_, slowest_promise_) && !(peers_live() && peers_move(patience))) return false;
    }
    drain();
    const Cycle start = std::max(*begin, owner().now());
    while (earliest() < start) apply_arrived(earliest());
    owner().event_queue().advance(start);
    clock(chip()).quiet_since = start;
    idle_ = false;
    bound_ = 0;
    for (unsigned rank = 0; rank < ranks(); ++rank)
        ended_[rank] = std::max(ended_[rank], job.before(chip(), number)[rank]);
    setup_.job->begin_run(chip());
    ++meetings_;
    promise(std::max(promised_, start), false);
    return true;
}

void Links::end_run() {
    const uint64_t number = setup_.job->begun(chip()) - 1;
    setup_.job->end_run(chip(), number, owner().now());
    idle_ = true;
    park();
}

bool Links::processes_run() const {
    for (unsigned rank = 0; rank < ranks(); ++rank)
        if (!clock(rank).ended() && clock(rank).process != 0 && !process_runs(clock(rank).process)) return false;
    return true;
}

// This chip promises no more than the earliest begin of its next run.
void Links::serve_between_runs(const std::function<bool()>& wanted) {
    for (Patience patience; !wanted(); patience.wait(slowest_, slowest_promise_)) {
        const auto promise_of = [&](unsigned rank) { return clock(rank).read().time; };
        const Cycle own = setup_.job->earliest(chip(), setup_.job->begun(chip()), promise_of);
        const Cycle end = std::min(bound(false), own);
        drain();
        while (earliest() < end) apply_arrived(earliest());
        if (end <= promised_ || end == kNever) continue;
        promise(end, true);
        patience.renew();
    }
}

// ---- what checkers exchange ---------------------------------------------------------------

Peers::Launch Links::begin_launch() {
    launches_ = setup_.job ? static_cast<uint32_t>(setup_.job->begun(chip())) : launches_ + 1;
    return {launches_, ended_};
}

// Accesses that follow each other are one.
std::optional<Peers::HostAccess> Links::begin_host_access() {
    if (setup_.job) return {};
    const std::pair now{launches_, meetings_};
    if (now != host_access_) host_access_ = {++launches_, meetings_};
    return HostAccess{{launches_, ended_}, owner().now()};
}

void Links::publish(uint64_t address, uint64_t bytes) {
    constexpr uint64_t kMostBytes = 4096;
    const Window& mine = own_window();
    if (bytes > kMostBytes || address - mine.here >= mine.bytes) return;
    Message message;
    message.kind = Kind::kPublished;
    message.bits = address - mine.here;
    const std::vector<std::byte> copied(GlobalMemory::host(address), GlobalMemory::host(address) + bytes);
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        if (rank == chip() || clock(rank).ended()) continue;
        message.arrival = owner().now() + latency_to(rank);
        send(rank, message, copied);
    }
}

void Links::apply_published(unsigned from, const Message& message, std::span<const std::byte> bytes) {
    const uint64_t copy = window_of(from).here;
    if (opened_) owner().global().open(copy);
    std::memcpy(GlobalMemory::host(copy + message.bits), bytes.data(), bytes.size());
    if (opened_) owner().global().close(copy);
}

}  // namespace ptosim
