// Totals of a run's cycles, for summaries, results and reports.
//
// The Summary observer counts while the machine runs and keeps no events; account() counts the
// records of a Recording. Both use this computation and give the same numbers.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "traces/analyse/timeline.h"
#include "traces/record/recording.h"
#include "traces/record/wait_causes.h"

namespace ptosim {

// The cycles that one pipe lost to one cause.
struct WaitSite {
    WaitCause cause;
    std::string waiter;   // "gemm.pto:90"; empty if unknown
    std::string release;  // where the flag is set or the data made; empty if unknown
    // The library's calls that issue what waits and what sets the flag; empty if those lines do.
    std::string waiter_call, release_call;
    // "add.asc:55 (DeQue)"
    std::string waiter_text() const { return with_call(waiter, waiter_call); }
    std::string release_text() const { return with_call(release, release_call); }
    static std::string with_call(const std::string& at, const std::string& call) {
        return at.empty() || call.empty() ? at : at + " (" + call + ")";
    }
    Cycle cycles = 0;
    uint64_t count = 0;  // how often it waited
    bool open = false;   // one of them was never released
};

// The library's call that sets the flag waited for; empty if there is none.
std::string release_call(const Sources& sources, const WaitCause& cause);

// busy + wait() + idle is the duration of the run, exactly.
struct PipeAccount {
    // Instructions occupied the pipe; a latency beyond the occupancy does not count. S: a block
    // ran on the core and the scalar unit did not wait.
    Cycle busy = 0;
    Cycle idle = 0;  // nothing to do
    std::array<Cycle, kBlockReasonCount> waits{};
    uint64_t instructions = 0;    // completed
    std::vector<WaitSite> sites;  // most cycles first; they add up to wait()

    Cycle wait() const;
};

struct CoreAccount {
    CoreId core;
    std::array<PipeAccount, kPipeCount> pipes;
    Cycle active = 0;           // at least one pipe other than S is busy
    Cycle finished = 0;         // end of its last block, from the chip's start
    uint64_t blocks = 0;        // executed, including one that did not end
    uint64_t instructions = 0;  // completed
    uint64_t unfinished = 0;    // started or queued, but cut off by the end of the run

    // A pipe that this core has, or that did something.
    bool shows(Pipe pipe) const;
};

// Periods of a run that were not simulated (ptosim run --sample).
struct Skipped {
    Cycle cycles = 0;
    Cycle deviation = 0;        // by which these cycles may differ
    unsigned stretches = 0;
    uint64_t instructions = 0;
};

struct Accounting {
    std::string chip;
    std::string kernel;  // of the first launch
    uint64_t clock_hz = 0;
    uint32_t blocks = 0;  // of the first launch
    uint64_t launches = 0;
    Cycle begin = 0;  // of the first launch
    Cycle end = 0;    // of the last launch
    Cycle task = 0;   // duration with the launches, as profilers count tasks; 0: unknown
    std::string task_range;  // its possible error, as range_text(); empty if it is unknown
    bool ended_early = false;
    uint64_t diagnostics = 0;
    std::vector<CoreAccount> cores;  // in lane order: AIC00 AIV00 AIV01 AIC01 ...
    std::string program;             // of a program of many kernels: where its cores' time went
    std::optional<Skipped> skipped;  // with --sample; everything else is of the simulated part

    Cycle duration() const { return end - begin; }
    // With the skipped cycles.
    Cycle time() const { return duration() + (skipped ? skipped->cycles : Cycle{0}); }
    uint64_t instructions() const;
};

Accounting account(const Recording& recording);

// Adds up one core: finished intervals with add_*, unfinished ones with open_* and close_*.
class CoreMeter {
 public:
    CoreMeter(CoreId core, Cycle begin) : settled_{begin} { account_.core = core; }

    void add_work(Pipe pipe, Cycle begin, Cycle end, bool sync) {
        push(lane(pipe), {begin, end, sync ? Activity::kSync : Activity::kWork, 0});
    }
    void add_wait(Pipe pipe, Cycle begin, Cycle end, const WaitCause& cause, bool open);
    void add_run(Cycle begin, Cycle end);
    void count_instruction(Pipe pipe) {
        ++account_of(pipe).instructions;
        ++account_.instructions;
    }
    void count_unfinished() { ++account_.unfinished; }

    // While the machine runs. `now` never goes back.
    void saw(Cycle now) { last_ = std::max(last_, now); }
    Cycle last() const { return last_; }
    void count_issue() { ++issued_; }
    void open_work(Pipe pipe, uint64_t sequence, Cycle now, Opcode opcode) {
        lane(pipe).works.open({sequence, now, opcode});
    }
    void close_work(Pipe pipe, uint64_t sequence, Cycle begin, Cycle end, bool sync, Cycle now) {
        Lane& lane = this->lane(pipe);
        lane.works.close(sequence);
        push(lane, {begin, end, sync ? Activity::kSync : Activity::kWork, 0});
        count_instruction(pipe);
        if (pending_ >= settle_at_) settle_some(now);
    }
    // Returns its cause, to be filled in.
    WaitCause& open_wait(Pipe pipe, Cycle now);
    // Cause of the current wait, so that its release can be filled in; null if nothing waits.
    WaitCause* waiting(Pipe pipe) {
        OpenWait& open = lane(pipe).open;
        return open.waiting ? &open.cause : nullptr;
    }
    void close_wait(Pipe pipe, Cycle now, bool open = false);  // open: nothing released it
    void open_run(Cycle now);
    void close_run(Cycle now);
    // The machine has stopped: open intervals end at `now` and stay marked as open.
    void cut(Cycle now);
    bool anything_open() const;

    // The account of [begin, end), where begin is that of the constructor.
    CoreAccount finish(Cycle begin, Cycle end, const Sources& sources) const;

 private:
    struct OpenWork {
        uint64_t sequence;
        Cycle begin;
        Opcode opcode;  // kCount: unknown
    };
    // Work of a lane that has begun and not ended, in a ring. Nearly all of it ends in the order in
    // which it began.
    class OpenWorks {
     public:
        uint64_t size() const { return end_ - first_; }
        const OpenWork& operator[](uint64_t i) const { return ring_[(first_ + i) & mask_]; }
        void open(const OpenWork& work) {
            if (size() > mask_) [[unlikely]]
                grow();
            ring_[end_++ & mask_] = work;
        }
        void close(uint64_t sequence) {
            if (first_ != end_ && ring_[first_ & mask_].sequence == sequence) [[likely]]
                ++first_;
            else
                close_late(sequence);
        }

     private:
        void grow();
        void close_late(uint64_t sequence);

        std::vector<OpenWork> ring_ = std::vector<OpenWork>(16);
        uint64_t mask_ = 15;
        uint64_t first_ = 0, end_ = 0;
    };
    struct OpenWait {
        bool waiting = false;
        Cycle begin = 0;
        Cycle settled = 0;  // cycles of it that have been counted
        WaitCause cause;
    };
    struct Lane {
        std::vector<Interval> pending;  // not counted yet, or not to their ends
        bool overlap = false;           // some of them do
        std::map<WaitCause, uint32_t> site_index;
        std::vector<WaitSite> sites;
        struct RecentSite {
            std::array<uint64_t, 3> cause{};  // WaitCause::words(); 0: none
            uint32_t number = 0;
        };
        std::array<RecentSite, 64> recent_sites{};  // by the first bits of the hash of their causes
        OpenWorks works;
        OpenWait open;
    };
    Lane& lane(Pipe pipe) { return lanes_[static_cast<size_t>(lane_pipe(pipe))]; }
    PipeAccount& account_of(Pipe pipe) {
        return account_.pipes[static_cast<size_t>(lane_pipe(pipe))];
    }
    uint32_t site(Lane& lane, const WaitCause& cause);
    void push(Lane& lane, const Interval& interval) {
        if (interval.end <= interval.begin) return;
        if (lane.pending.empty() || interval.begin >= lane.pending.back().end)
            push_behind(lane, interval);
        else
            push_between(lane, interval);
    }
    void push_behind(Lane& lane, const Interval& interval) {
        if (!lane.pending.empty() && continues(lane.pending.back(), interval)) {
            lane.pending.back().end = interval.end;
            return;
        }
        ++pending_;
        lane.pending.push_back(interval);
    }
    void push_between(Lane& lane, const Interval& interval);
    // True if the two intervals count as one, which begins with the first and ends with the second.
    static bool continues(const Interval& first, const Interval& second) {
        return second.begin == first.end && second.activity == first.activity &&
               (second.activity == Activity::kWork || second.activity == Activity::kSync);
    }
    void settle(unsigned pipe, Cycle limit);
    static void forget_counted(Lane& lane, Cycle limit, bool opened);
    template <class Piece>
    void for_pieces(Lane& lane, Cycle from, Cycle to, Piece&& piece);
    void settle_some(Cycle now);
    void settle(Cycle limit);

    CoreAccount account_;
    std::array<Lane, kPipeCount> lanes_;
    Cycle open_run_ = kNever;
    uint64_t issued_ = 0;
    Cycle last_ = 0;  // event
    Cycle settled_;   // all before this is counted
    size_t pending_ = 0;
    // Scratch of settle(): stretches of a pipe, of those before it, and of both.
    using Stretches = std::vector<std::pair<Cycle, Cycle>>;
    static void unite(const Stretches& a, const Stretches& b, Stretches& both);
    Stretches busy_, together_, merged_;
    std::vector<const Interval*> active_;  // of sweep_intervals()
    size_t settle_at_ = kSettleAt;
    static constexpr size_t kSettleAt = 256;  // of all cores they stay in the host's caches
};

}  // namespace ptosim
