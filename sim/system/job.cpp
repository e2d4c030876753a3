#include "sim/system/job.h"

#include <algorithm>
#include <atomic>

#include "sim/machine/event/neighbours.h"
#include "sim/system/meeting.h"

namespace ptosim {
namespace {

Cycle later(Cycle time, Cycle by) { return time == Neighbours::kNever ? time : time + by; }

// Each count becomes at least the other one.
void raise(Job::Counts& counts, const Job::Counts& least) {
    std::ranges::transform(counts, least, counts.begin(), [](uint32_t a, uint32_t b) { return std::max(a, b); });
}

// State of a host at one moment.
struct HostState {
    Cycle time = 0;
    bool waits = false, rests = false;
    uint64_t tasks = 0;
    Job::Counts until{};
};

HostState state_of(const JobPages::Host& host) {
    HostState state;
    for (uint64_t version = 1; version % 2 != 0 || host.version.load() != version;) {
        version = host.version.load();
        state = {host.time, host.waits, host.rests, host.tasks, host.until};
        std::atomic_thread_fence(std::memory_order_acquire);
    }
    return state;
}

}  // namespace

Job::Job(JobPages& pages, unsigned chips, HostCosts costs) : pages_{&pages}, node_{0}, costs_{costs} {
    pages.nodes = 1;
    pages.first[1] = chips;
}

Job::Job(JobPages& pages, const std::vector<unsigned>& chips_of_nodes, HostCosts costs)
    : pages_{&pages}, costs_{costs} {
    pages.nodes = static_cast<uint32_t>(chips_of_nodes.size());
    for (size_t node = 0; node < chips_of_nodes.size(); ++node) {
        pages.first[node + 1] = pages.first[node] + chips_of_nodes[node];
        pages.hosts[node].rests = true;
    }
}

unsigned Job::node_of(unsigned chip) const {
    unsigned node = 0;
    while (first_chip(node + 1) <= chip) ++node;
    return node;
}

bool Job::host_runs() const {
    for (unsigned node = 0; node < nodes(); ++node)
        if (const int process = pages_->hosts[node].process; process != 0 && !process_runs(process)) return false;
    return process_runs(pages_->process);
}

// ---- the host -----------------------------------------------------------------------------

template <class Write>
void Job::change_host(const Write& write) {
    JobPages::Host& host = own().host;
    ++host.version;
    write(host);
    ++host.version;
}

// A host's own numbers begin at 0.
Job::Counts Job::moved(const Level& level, const Counts& counts) const {
    Counts all{};
    std::copy_n(counts.begin(), level.end - level.begin, all.begin() + level.begin);
    return all;
}

void Job::begin_orchestration() {
    change_host([&](JobPages::Host& host) { host.time += costs_.run; });
}

bool Job::submit(const std::vector<unsigned>& chips, const Counts& after, unsigned hops) {
    const Level level = own();
    for (const unsigned chip : chips) {
        JobPages::Queue& queue = level.queues[level.begin + chip];
        const uint64_t number = queue.submitted;
        if (number >= JobPages::kRunsKept && run(queue, number).end == 0) return false;
    }
    const Cycle now = level.host.time + costs_.task;
    const Counts its = moved(level, after);
    const Counts before = all_before(level, its);
    for (const unsigned chip : chips) {
        JobPages::Queue& queue = level.queues[level.begin + chip];
        JobPages::Run& next = run(queue, queue.submitted);
        next.end = 0;
        next.submitted = now;
        next.delay = costs_.wake + hops * costs_.task;
        next.after = its;
        next.before = before;
        queue.submitted.fetch_add(1, std::memory_order_release);
    }
    change_host([&](JobPages::Host& host) { host.time = now; });
    return true;
}

// A slot may hold a later run already; it follows the same runs and more.
Job::Counts Job::all_before(const Level& level, const Counts& after) const {
    Counts before = level.host.waited;
    raise(before, after);
    for (unsigned at = level.begin; at < level.end; ++at)
        if (after[at] != 0) raise(before, run(level.queues[at], after[at] - 1).before);
    return before;
}

void Job::begin_wait(const Counts& until) {
    const Counts all = moved(own(), until);
    change_host([&](JobPages::Host& host) {
        host.waits = true;
        host.until = all;
    });
}

bool Job::wait_is_over() const {
    const Level level = own();
    return last_of(level, level.host.until, 0, [](unsigned) { return Neighbours::kNever; }) != Neighbours::kNever;
}

void Job::end_wait() {
    const Level level = own();
    const Cycle last = last_of(level, level.host.until, costs_.wake, [](unsigned) { return Cycle{0}; });
    change_host([&](JobPages::Host& host) {
        host.waits = false;
        raise(host.waited, host.until);
        host.time = std::max<uint64_t>(host.time, last);
    });
}

// ---- a node -------------------------------------------------------------------------------

bool Job::begin_task() {
    const unsigned node = *node_;
    const uint64_t number = pages_->hosts[node].tasks;
    if (pages_->tasks[node].submitted.load(std::memory_order_acquire) <= number) return false;
    const Cycle begin = earliest_in(top(), node, number, [](unsigned) { return Neighbours::kNever; });
    if (begin == Neighbours::kNever) return false;
    const Counts& tasks = run(pages_->tasks[node], number).before;
    change_host([&](JobPages::Host& host) {
        host.time = std::max<uint64_t>(host.time, begin);
        host.rests = false;
        ++host.tasks;
        for (unsigned other = 0; other < nodes(); ++other) {
            JobPages::Queue& queue = pages_->tasks[other];
            const bool kept = queue.submitted.load() < tasks[other] + JobPages::kRunsKept;
            if (tasks[other] != 0 && kept) raise(host.waited, run(queue, tasks[other] - 1).runs);
        }
    });
    return true;
}

// The end precedes the rest, because the time of a node that rests is that of its next task.
void Job::end_task() {
    const Level level = own();
    JobPages::Run& task = run(pages_->tasks[*node_], level.host.tasks - 1);
    task.runs = level.host.waited;
    task.end.store(level.host.time + 1, std::memory_order_release);
    change_host([](JobPages::Host& host) { host.rests = true; });
}

// ---- a chip -------------------------------------------------------------------------------

// End of run number `count` of a queue. Runs of a queue end in order, so a run whose slot holds a later one has ended. A
// promise that was made before the run has been seen to go on is one of this run.
Cycle Job::end_of(const Level& level, unsigned at, uint64_t count, const PromiseOf& promise_of) const {
    JobPages::Queue& queue = level.queues[at];
    Cycle promised = 0;
    for (const bool asked : {false, true}) {
        if (asked) promised = promise_of(at);
        if (queue.submitted.load(std::memory_order_acquire) >= count + JobPages::kRunsKept) return 0;
        if (const uint64_t end = run(queue, count - 1).end.load(std::memory_order_acquire); end != 0) return end - 1;
    }
    return promised;
}

// Time at which all these runs have ended, and so much more.
Cycle Job::last_of(const Level& level, const Counts& counts, Cycle delay, const PromiseOf& promise_of) const {
    Cycle last = 0;
    for (unsigned at = level.begin; at < level.end; ++at)
        if (counts[at] != 0) last = std::max(last, later(end_of(level, at, counts[at], promise_of), delay));
    return last;
}

// The host's state is read before the runs that it has submitted, because later submissions come after that state.
Cycle Job::earliest_in(const Level& level, unsigned at, uint64_t number, const PromiseOf& promise_of) const {
    const HostState state = state_of(level.host);
    JobPages::Queue& queue = level.queues[at];
    if (queue.submitted.load(std::memory_order_acquire) <= number) {
        Cycle time = state.time;
        if (state.waits) time = std::max(time, last_of(level, state.until, costs_.wake, promise_of));
        if (state.rests) time = later(std::max(time, next_task(node_of(at), state.tasks, promise_of)), costs_.run);
        return later(time, costs_.task);
    }
    const JobPages::Run& next = run(queue, number);
    return std::max<Cycle>(next.submitted, last_of(level, next.after, next.delay, promise_of));
}

// A node's task of this number begins no earlier; likewise end_of_task() for the task that it has begun, or else the next.
Cycle Job::next_task(unsigned node, uint64_t number, const PromiseOf& promise_of) const {
    return earliest_in(top(), node, number, [&](unsigned other) { return end_of_task(other, promise_of); });
}

Cycle Job::end_of_task(unsigned number, const PromiseOf& promise_of) const {
    const Level level = node(number);
    const HostState state = state_of(level.host);
    Cycle time = state.time;
    if (state.waits) time = std::max(time, last_of(level, state.until, costs_.wake, promise_of));
    if (state.rests) time = std::max(time, next_task(number, state.tasks, promise_of));
    return time;
}

Cycle Job::earliest(unsigned chip, uint64_t number, const PromiseOf& promise_of) const {
    return earliest_in(node(node_of(chip)), chip, number, promise_of);
}

std::optional<Cycle> Job::begin_of(unsigned chip, uint64_t number) const {
    if (pages_->chips[chip].submitted.load(std::memory_order_acquire) <= number) return {};
    const Cycle begin = earliest(chip, number, [](unsigned) { return Neighbours::kNever; });
    if (begin == Neighbours::kNever) return {};
    return begin;
}

void Job::end_run(unsigned chip, uint64_t number, Cycle now) {
    run(pages_->chips[chip], number).end.store(now + 1, std::memory_order_release);
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

std::optional<std::pair<unsigned, Job::Offered>> Job::find_window(uint64_t number) const {
    for (unsigned chip = 0; chip < chips(); ++chip)
        if (const std::optional<Offered> window = window_of(chip, number)) return std::pair(chip, *window);
    return {};
}

void Job::withdraw_window(unsigned chip, uint64_t number) {
    for (JobPages::Window& window : pages_->windows[chip])
        if (window.number.load() == number) window.number = 0;
}

}  // namespace ptosim
