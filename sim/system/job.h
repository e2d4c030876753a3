// A job: runs that one host process gives to several chips (level 3 of simpler's programs). The host has simulated time,
// too: a run begins after the host has submitted it and after the runs that it depends on, wherever they are.
//
// The host writes its clock and the runs that it submits into pages that all chips share. A chip between two runs
// computes from them the earliest time of its next one, so that the others can pass it without waiting for the host.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/event/cycle.h"

namespace ptosim {

struct JobPages {
    static constexpr unsigned kMostChips = 64;
    static constexpr unsigned kRunsKept = 1024;  // of a chip
    static constexpr unsigned kWindowsKept = 256;
    using Counts = std::array<uint32_t, kMostChips>;  // by chip: so many of its first runs

    struct Run {
        std::atomic<uint64_t> end;  // the cycle and 1; 0: it has not ended
        uint64_t submitted;         // cycle
        uint64_t delay;             // from the end of the last of `after` to its begin
        Counts after;
        Counts before;  // everything that has ended when it begins
    };
    struct Chip {
        std::atomic<uint64_t> submitted, begun;  // runs
        std::array<Run, kRunsKept> runs;         // run n is at n % kRunsKept
    };
    // State of the host: it submits runs, no earlier than at `time`, or waits until runs have ended.
    struct Host {
        std::atomic<uint64_t> version;  // odd: it is being written
        uint64_t time;
        bool waits;
        Counts until;
        Counts waited;  // runs that it has seen end
    };
    // A chip's window, by a number that all its peers have for it; 0: none.
    struct Window {
        std::atomic<uint64_t> number;
        uint64_t address, bytes;
    };

    std::atomic<int32_t> process;  // the host's
    Host host;
    std::array<Chip, kMostChips> chips;
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
    Job(JobPages& pages, unsigned chips, HostCosts costs) : pages_{&pages}, chips_{chips}, costs_{costs} {}

    unsigned chips() const { return chips_; }
    bool host_runs() const;

    // ---- the host

    void begin_orchestration();
    // One run on each of the chips: after the runs `after`, `hops` tasks of the host between them and these.
    // Returns false, and submits nothing, while too many runs of a chip have not ended.
    bool submit(const std::vector<unsigned>& chips, const Counts& after, unsigned hops);
    // Waits for runs: end_wait(), when it is over, moves the host's clock.
    void begin_wait(const Counts& until);
    bool wait_is_over() const;
    void end_wait();

    // ---- a chip

    // The cycle at which run `number` of a chip can begin at the earliest: exact if the runs that it waits for have ended.
    // `promise_of(chip)`: nothing of a run that it has under way ends before it.
    Cycle earliest(unsigned chip, uint64_t number, const std::function<Cycle(unsigned)>& promise_of) const;
    // The same when all is known; empty while it is not.
    std::optional<Cycle> begin_of(unsigned chip, uint64_t number) const;
    // Runs that end before a run begins, by chip. It must not have ended.
    const Counts& before(unsigned chip, uint64_t number) const { return run(chip, number).before; }
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
    void withdraw_window(unsigned chip, uint64_t number);

 private:
    JobPages::Run& run(unsigned chip, uint64_t number) const {
        return pages_->chips[chip].runs[number % JobPages::kRunsKept];
    }
    Counts all_before(const Counts& after) const;
    Cycle end_of(unsigned chip, uint64_t count, const std::function<Cycle(unsigned)>& promise_of) const;
    template <class Write>
    void change_host(const Write& write);

    JobPages* pages_;
    unsigned chips_;
    HostCosts costs_;
};

}  // namespace ptosim
