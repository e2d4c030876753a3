// All checkers as one observer of the machine.
#pragma once

#include <memory>
#include <optional>

#include "sim/check/caches.h"
#include "sim/check/drain.h"
#include "sim/check/footprint.h"
#include "sim/check/global_init.h"
#include "sim/check/host_order.h"
#include "sim/check/init.h"
#include "sim/check/published_lines.h"
#include "sim/check/race.h"
#include "sim/check/redundant_sync.h"
#include "sim/check/sync.h"
#include "sim/check/tiles.h"

namespace ptosim::check {

struct CheckOptions {
    bool bounds = false, init = false, race = false, sync = false, cache = false;
    bool drain = false, ids = false, unused = false;  // not among `all`
    bool choices = false;  // neither; the machine reports them (isa/core/behaviour.h)
    bool wasted = false;
    uint64_t memory = uint64_t{1} << 30;  // bytes that shadow memory may take
    bool any() const {
        return bounds || init || race || sync || cache || drain || ids || unused || wasted;
    }
    // Whether they look at what kernels in C++ access by pointers.
    bool follows_pointers() const { return race || cache; }
    // Turns on the checkers of a list of names, separated by commas: bounds, init, race, sync,
    // cache, drain, ids, unused, choices; "all" is the first five; "none" and nothing are none.
    // Returns the first word that is no name, or nothing.
    std::string choose(std::string_view list);
};
// The names, for messages.
inline constexpr std::string_view kCheckerNames =
    "bounds, init, race, sync, cache, drain, ids, unused and choices, separated by commas; all "
    "(the first five), or none";

class Checkers : public Observer {
 public:
    Checkers(const CheckOptions& options, const GlobalMemory& global,
             std::function<void(const Diagnostic&)> announce);

    const std::vector<Diagnostic>& findings() const { return findings_.list(); }
    // Shadow memory was full: what came after may have been missed.
    bool out_of_memory() const { return budget_.exceeded; }
    // Synchronisation that could be removed, as lines of text; empty unless asked for.
    std::vector<std::string> wasted() const;

    // A program of many kernels is one block on each core. A task begins there, behind all tasks
    // that have ended; and ends, and what it leaves in on-chip memory is nobody's.
    void task_begins(CoreId core);
    void task_ends(CoreId core);

    // The checker of memory that a host program allocates; `fresh` is what all of it holds.
    void host_allocates(uint64_t address, uint64_t size, std::string name, std::byte fresh = {});
    void host_releases(uint64_t address);
    void host_writes(const void* address, uint64_t size);
    void host_reads(const void* address);
    void host_ends();
    // Happens-before of the run; null if races are not looked for.
    HostOrder* host_order() { return host_order_ ? &*host_order_ : nullptr; }

    void on_launch(const LaunchEvent& event) override;
    void on_launch_end(Cycle) override;
    void on_block_begin(const RunEvent& event) override;
    void on_block_end(const RunEvent& event) override;
    void on_issue(const InstructionEvent& event) override;
    void on_start(const InstructionEvent& event) override;
    void on_flag_set(const FlagEvent& event) override;
    void on_flag_wait(const FlagEvent& event) override;
    void on_signal(const SignalEvent& event) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;
    void on_cache(const CacheEvent& event) override;
    void on_block(const BlockEvent& event) override;
    void on_unblock(const BlockEvent& event) override;

 private:
    CheckOptions options_;
    Findings findings_;
    Findings unheard_{nullptr};  // where races go if only --wasted was asked for
    Budget budget_;
    Timelines timelines_;
    Footprints footprints_{timelines_};
    PublishedLines published_{timelines_};
    std::optional<RedundantSync> wasted_;
    std::optional<RaceChecker> race_;
    std::optional<InitChecker> init_;
    std::optional<SyncChecker> sync_;
    std::optional<TileChecker> tiles_;
    std::optional<CacheChecker> caches_;
    std::optional<DrainChecker> drain_;
    std::optional<GlobalInit> global_init_;
    std::optional<HostOrder> host_order_;
    bool balance() const { return sync_ && sync_->balance(); }
    size_t lane(const InstructionEvent& event) const {
        return timelines_.index(event.core) * size_t{kPipeCount} + static_cast<size_t>(event.pipe);
    }

    const SourceMap* sources_ = nullptr;
    Arch arch_ = Arch::kA2A3;
    size_t running_ = 0;  // blocks on cores that have begun and not ended
};

}  // namespace ptosim::check
