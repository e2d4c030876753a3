// A job: runs that a host process gives to several chips (level 3 of simpler's programs). The host has simulated time,
// too: a run begins after the host has submitted it and after the runs that it depends on, wherever they are.
//
// At level 4 there are several such hosts, the nodes, and a host above them: it gives tasks to nodes as a node gives runs
// to chips, by the same rules. A task lasts until its node has waited for the runs of the task.
//
// Each host writes its clock and the runs that it submits into pages that all chips share. A chip between two runs
// computes from them the earliest time of its next one, so that the others can pass it without waiting for the hosts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sim/machine/event/cycle.h"

namespace ptosim {

struct JobPages {
    static constexpr unsigned kMostChips = 64;
    static constexpr unsigned kMostNodes = 16;
    static constexpr unsigned kRunsKept = 1024;  // of a chip
    static constexpr unsigned kWindowsKept = 256;
    using Counts = std::array<uint32_t, kMostChips>;  // by chip, or by node: so many of its first runs

    struct Run {
        std::atomic<uint64_t> end;  // the cycle and 1; 0: it has not ended
        uint64_t submitted;         // cycle
        uint64_t delay;             // from the end of the last of `after` to its begin
        Counts after;
        Counts before;  // everything that has ended when it begins
        Counts runs;    // of an ended task: runs of chips that have ended with it
    };
    // Runs of a chip, or tasks of a node.
    struct Queue {
        std::atomic<uint64_t> submitted, begun;  // `begun`: of a chip
        std::array<Run, kRunsKept> runs;         // run n is at n % kRunsKept
    };
    // State of a host: it submits runs, no earlier than at `time`, or waits until runs have ended. A node rests between
    // two tasks.
    struct Host {
        std::atomic<int32_t> process;   // of a node
        std::atomic<uint64_t> version;  // odd: it is being written
        uint64_t time;
        bool waits, rests;
        uint64_t tasks;  // begun
        Counts until;
        Counts waited;  // runs that have ended before its time; a node's: of all chips
    };
    // A chip's window, by a number that all its peers have for it; 0: none.
    struct Window {
        std::atomic<uint64_t> number;
        uint64_t address, bytes;
    };

    std::atomic<int32_t> process;  // of the host of all
    std::array<uint32_t, kMostNodes + 1> first;  // chip of each node, and the number of chips
    uint32_t nodes;                              // 1: there is no host above
    uint64_t clock_hz;
    std::array<char, 256> system;  // its name
    Host top;                      // above the nodes
    std::array<Queue, kMostNodes> tasks;
    std::array<Host, kMostNodes> hosts;
    std::array<Queue, kMostChips> chips;
    std::array<std::array<Window, kWindowsKept>, kMostChips> windows;
};

// Host costs, in cycles of the chips.
struct HostCosts {
    Cycle run = 0;   // to enter and leave an orchestration
    Cycle task = 0;  // to submit one run of a chip
    Cycle wake = 0;  // from the end of a run until the host goes on
};

class Job {
 public:
    using Counts = JobPages::Counts;
    using PromiseOf = std::function<Cycle(unsigned)>;

    // One host that gives runs to chips.
    Job(JobPages& pages, unsigned chips, HostCosts costs);
    // The host above several nodes; `chips_of_nodes` has the number of chips of each.
    Job(JobPages& pages, const std::vector<unsigned>& chips_of_nodes, HostCosts costs);
    // The host above the nodes of a job that another process has made.
    static Job opened(JobPages& pages, HostCosts costs) { return {&pages, {}, costs}; }
    // The same job as a node, or as one of its chips.
    Job as_node(unsigned node) const { return {pages_, node, costs_}; }

    unsigned chips() const { return pages_->first[pages_->nodes]; }
    unsigned nodes() const { return pages_->nodes; }
    unsigned first_chip(unsigned node) const { return pages_->first[node]; }
    unsigned node_of(unsigned chip) const;
    // The hosts of all levels do.
    bool host_runs() const;

    // ---- the host: it numbers its own chips, or the nodes below it

    void begin_orchestration();
    // Number of chips, or nodes, that it gives runs to.
    unsigned given() const { return own().end - own().begin; }
    // One run on each of the chips: after the runs `after`, `hops` tasks of the host between them and these.
    // Returns false, and submits nothing, while too many runs of a chip have not ended.
    bool submit(const std::vector<unsigned>& chips, const Counts& after, unsigned hops);
    // Waits for runs: end_wait(), when it is over, moves the host's clock.
    void begin_wait(const Counts& until);
    bool wait_is_over() const;
    void end_wait();

    // ---- a node

    void note_process(int process) { own().host.process = process; }
    // Begins its next task. Returns false while the begin is not known.
    bool begin_task();
    void end_task();

    // ---- a chip

    // The cycle at which run `number` of a chip can begin at the earliest: exact if the runs that it waits for have ended.
    // `promise_of(chip)`: nothing of a run that it has under way ends before it.
    Cycle earliest(unsigned chip, uint64_t number, const PromiseOf& promise_of) const;
    // The same when all is known; empty while it is not.
    std::optional<Cycle> begin_of(unsigned chip, uint64_t number) const;
    // Runs that end before a run begins, by chip. It must not have ended.
    const Counts& before(unsigned chip, uint64_t number) const { return run(pages_->chips[chip], number).before; }
    uint64_t begun(unsigned chip) const { return pages_->chips[chip].begun.load(std::memory_order_acquire); }
    void begin_run(unsigned chip) { ++pages_->chips[chip].begun; }
    void end_run(unsigned chip, uint64_t number, Cycle now);

    // Windows by which chips find each other's memory. False: there is no room.
    struct Offered {
        uint64_t address = 0, bytes = 0;
        friend bool operator==(const Offered&, const Offered&) = default;
    };
    bool offer_window(unsigned chip, uint64_t number, Offered window);
    std::optional<Offered> window_of(unsigned chip, uint64_t number) const;
    // The chip that offers a window of this number, whichever it is.
    std::optional<std::pair<unsigned, Offered>> find_window(uint64_t number) const;
    void withdraw_window(unsigned chip, uint64_t number);

 private:
    Job(JobPages* pages, std::optional<unsigned> node, HostCosts costs) : pages_{pages}, node_{node}, costs_{costs} {}

    // A host with the queues to which it gives runs: those from `begin` to `end`.
    struct Level {
        JobPages::Host& host;
        JobPages::Queue* queues;
        unsigned begin, end;
        bool is_top;
    };
    Level top() const { return {pages_->top, pages_->tasks.data(), 0, nodes(), true}; }
    Level node(unsigned number) const {
        return {pages_->hosts[number], pages_->chips.data(), first_chip(number), first_chip(number + 1), false};
    }
    Level own() const { return node_ ? node(*node_) : top(); }

    static JobPages::Run& run(JobPages::Queue& queue, uint64_t number) {
        return queue.runs[number % JobPages::kRunsKept];
    }
    Counts moved(const Level& level, const Counts& counts) const;
    Counts all_before(const Level& level, const Counts& after) const;
    Cycle end_of(const Level& level, unsigned at, uint64_t count, const PromiseOf& promise_of) const;
    Cycle last_of(const Level& level, const Counts& counts, Cycle delay, const PromiseOf& promise_of) const;
    Cycle earliest_in(const Level& level, unsigned at, uint64_t number, const PromiseOf& promise_of) const;
    Cycle end_of_task(unsigned node, const PromiseOf& promise_of) const;
    Cycle next_task(unsigned node, uint64_t number, const PromiseOf& promise_of) const;
    template <class Write>
    void change_host(const Write& write);

    JobPages* pages_;
    std::optional<unsigned> node_;  // none: the host above
    HostCosts costs_;
};

}  // namespace ptosim
