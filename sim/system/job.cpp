#include "sim/system/job.h"

#include <algorithm>

#include "sim/event/neighbours.h"
#include "sim/system/meeting.h"

namespace ptosim {
namespace {

Cycle later(Cycle time, Cycle by) { return time == Neighbours::kNever ? time : time + by; }

}  // namespace

bool Job::host_runs() const { return process_runs(pages_->process); }

// ---- the host -----------------------------------------------------------------------------

template <class Write>
void Job::change_host(const Write& write) {
    JobPages::Host& host = pages_->host;
    ++host.version;
    write(host);
    ++host.version;
}

void Job::begin_orchestration() {
    change_host([&](JobPages::Host& host) { host.time += costs_.run; });
}

bool Job::submit(const std::vector<unsigned>& chips, const Counts& after, unsigned hops) {
    for (const unsigned chip : chips) {
        const uint64_t number = pages_->chips[chip].submitted;
        if (number >= JobPages::kRunsKept && run(chip, number).end == 0) return false;
    }
    const Cycle now = pages_->host.time + costs_.task;
    const Counts before = all_before(after);
    for (const unsigned chip : chips) {
        std::atomic<uint64_t>& submitted = pages_->chips[chip].submitted;
        JobPages::Run& next = run(chip, submitted);
        next.end = 0;
        next.submitted = now;
        next.delay = costs_.wake + hops * costs_.task;
        next.after = after;
        next.before = before;
        submitted.fetch_add(1, std::memory_order_release);
    }
    change_host([&](JobPages::Host& host) { host.time = now; });
    return true;
}

// A slot may hold a later run already; it follows the same runs and more.
Job::Counts Job::all_before(const Counts& after) const {
    Counts before = pages_->host.waited;
    const auto add = [&](const Counts& more) {
        for (unsigned chip = 0; chip < chips_; ++chip) before[chip] = std::max(before[chip], more[chip]);
    };
    add(after);
    for (unsigned chip = 0; chip < chips_; ++chip)
        if (after[chip] != 0) add(run(chip, after[chip] - 1).before);
    return before;
}

void Job::begin_wait(const Counts& until) {
    change_host([&](JobPages::Host& host) {
        host.waits = true;
        host.until = until;
    });
}

bool Job::wait_is_over() const {
    const Counts& until = pages_->host.until;
    for (unsigned chip = 0; chip < chips_; ++chip)
        if (until[chip] != 0 &&
            end_of(chip, until[chip], [](unsigned) { return Neighbours::kNever; }) == Neighbours::kNever)
            return false;
    return true;
}

void Job::end_wait() {
    Cycle last = 0;
    for (unsigned chip = 0; chip < chips_; ++chip)
        if (const uint32_t count = pages_->host.until[chip]; count != 0)
            last = std::max(last, end_of(chip, count, [](unsigned) { return Cycle{0}; }) + costs_.wake);
    change_host([&](JobPages::Host& host) {
        host.waits = false;
        for (unsigned chip = 0; chip < chips_; ++chip) host.waited[chip] = std::max(host.waited[chip], host.until[chip]);
        host.time = std::max<uint64_t>(host.time, last);
    });
}

// ---- a chip -------------------------------------------------------------------------------

// End of a chip's run number `count`. Runs of a chip end in order, so a run whose slot holds a later one has ended.
Cycle Job::end_of(unsigned chip, uint64_t count, const std::function<Cycle(unsigned)>& promise_of) const {
    const Cycle promised = promise_of(chip);  // before it is read whether the run has ended
    const JobPages::Chip& its = pages_->chips[chip];
    if (its.submitted.load(std::memory_order_acquire) >= count + JobPages::kRunsKept) return 0;
    const uint64_t end = run(chip, count - 1).end.load(std::memory_order_acquire);
    return end != 0 ? end - 1 : promised;
}

Cycle Job::earliest(unsigned chip, uint64_t number, const std::function<Cycle(unsigned)>& promise_of) const {
    // The host's state is read before the runs that it has submitted, because later submissions come after that state.
    const JobPages::Host& host = pages_->host;
    Counts until{};
    Cycle time = 0;
    bool waits = false;
    for (uint64_t version = 1; version % 2 != 0 || host.version.load() != version;) {
        version = host.version.load();
        time = host.time;
        waits = host.waits;
        until = host.until;
        std::atomic_thread_fence(std::memory_order_acquire);
    }
    const auto after = [&](const Counts& counts, Cycle delay) {
        Cycle last = 0;
        for (unsigned other = 0; other < chips_; ++other)
            if (counts[other] != 0) last = std::max(last, later(end_of(other, counts[other], promise_of), delay));
        return last;
    };
    if (pages_->chips[chip].submitted.load(std::memory_order_acquire) <= number) {
        if (waits) time = std::max(time, after(until, costs_.wake));
        return later(time, costs_.task);
    }
    const JobPages::Run& next = run(chip, number);
    return std::max<Cycle>(next.submitted, after(next.after, next.delay));
}

std::optional<Cycle> Job::begin_of(unsigned chip, uint64_t number) const {
    if (pages_->chips[chip].submitted.load(std::memory_order_acquire) <= number) return {};
    const Cycle begin = earliest(chip, number, [](unsigned) { return Neighbours::kNever; });
    if (begin == Neighbours::kNever) return {};
    return begin;
}

void Job::end_run(unsigned chip, uint64_t number, Cycle now) {
    run(chip, number).end.store(now + 1, std::memory_order_release);
}

// ---- windows ------------------------------------------------------------------------------

bool Job::offer_window(unsigned chip, uint64_t number, Offered offered) {
    for (JobPages::Window& window : pages_->windows[chip]) {
        if (window.number.load() != 0) continue;
        window.address = offered.address;
        window.bytes = offered.bytes;
        window.number.store(number, std::memory_order_release);
        return true;
    }
    return false;
}

std::optional<Job::Offered> Job::window_of(unsigned chip, uint64_t number) const {
    for (const JobPages::Window& window : pages_->windows[chip])
        if (window.number.load(std::memory_order_acquire) == number) return Offered{window.address, window.bytes};
    return {};
}

void Job::withdraw_window(unsigned chip, uint64_t number) {
    for (JobPages::Window& window : pages_->windows[chip])
        if (window.number.load() == number) window.number = 0;
}

}  // namespace ptosim
