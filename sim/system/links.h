// A chip's links to the others of its system: the clock that it shares with them, and their memory.
//
// This is a conservative simulation: an action of a chip reaches another one a latency later at the earliest. A chip
// may act at a time after all others have promised to send nothing that arrives by then. So no result depends on the
// scheduling of processes.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/system/chip_clocks.h"
#include "sim/system/job.h"
#include "sim/system/message_queue.h"
#include "sim/system/remote_windows.h"
#include "sim/system/shared_pages.h"

namespace ptosim {

class Links : public RemoteWindows, public Neighbours {
 public:
    struct Setup {
        unsigned rank = 0;
        std::vector<Window> windows;
        std::vector<LinkTimes> links;  // by rank
        uint32_t launches = 0;  // numbers of launches up to this one belong to earlier groups of chips
        // Of chips whose runs a host begins: the job, and since when this chip has done nothing but wait.
        std::optional<Job> job;
        std::function<Cycle()> quiet_since;
    };

    // Size of the pages shared by this number of chips.
    static uint64_t bytes_of_pages(unsigned chips);
    Links(Chip& of, SharedPages pages, Setup setup);
    // The others no longer wait for this chip.
    ~Links() override;

    // The number of this chip's last launch.
    uint32_t launches() const { return launches_; }

    // ---- meetings of hosts, between launches

    Cycle now() const { return owner().now(); }
    void park();
    // Serves the others while `waiting`.
    void serve(const std::function<bool()>& waiting);
    // All have met, the last of them at that time.
    void leave(Cycle last_came);
    // The host has written to this chip's window. The others' copies get the bytes if they are few, because code that
    // follows a pointer into a window reads a copy.
    void publish(uint64_t address, uint64_t bytes);

    // ---- runs of a job

    // Moves the clock to the begin of this chip's next run. False, with a failure, if it cannot come to that.
    bool begin_run();
    void end_run();
    // None of the others has been killed.
    bool processes_run() const;
    // Between runs: serves the others until `wanted`.
    void serve_between_runs(const std::function<bool()>& wanted);

    // ---- Neighbours
    Cycle await(Cycle next) override;
    void act(Cycle now) override { apply_arrived(now); }

    const Diagnostic* failure() const override { return failure_ ? &*failure_ : nullptr; }
    Launch begin_launch() override;
    std::optional<HostAccess> begin_host_access() override;

 private:
    class Patience;
    using Clock = std::chrono::steady_clock;

    void carry(unsigned to, std::vector<std::byte> message) override;
    void expect_answer(Cycle from) override { bound_ = std::min(bound_, from); }
    void apply_published(unsigned from, const Message& message, std::span<const std::byte> bytes) override;
    ChipClocks::Clock& clock(unsigned rank) const { return clocks_->clocks[rank]; }
    Cycle bound(bool asks);
    Cycle next_run_of(unsigned rank, const Promise& its) const;
    void drain();
    void promise(Cycle time, bool parked);
    bool all_wait(Cycle now);
    void fail_deadlock(Cycle now);
    bool peers_live();
    bool peers_move(const Patience& patience);
    void fail(std::string what, std::string hint);
    Cycle least_latency() const;
    void open(bool opened);

    SharedPages pages_;
    Setup setup_;
    ChipClocks* clocks_;
    std::vector<MessageQueue> to_, from_;  // by rank
    const Cycle step_;  // between two promises
    Cycle next_check_ = 0;  // for a deadlock
    Cycle bound_ = 0;  // no message that is not yet received arrives before it
    ChipClocks::Clock* slowest_ = nullptr;  // the clock with that promise
    Promise slowest_promise_;
    Cycle promised_ = 0;
    uint16_t meetings_ = 0;  // left by this chip's host, or runs of a job that have begun
    bool idle_ = true;       // for a job: no run is active
    bool opened_ = false;    // the chip's own window, while its host waits
    std::optional<Diagnostic> failure_;
    uint32_t launches_ = 0;         // of this chip, begun
    std::pair<uint32_t, uint16_t> host_access_;  // number of the last one, and meetings before it
    std::vector<uint32_t> ended_;   // launches that precede the next one of this chip, by rank
};

}  // namespace ptosim
