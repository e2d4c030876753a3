// Order between cores by polling: one core stores a status word by a transfer (MTE3, FIX) or a pointer, others repeatedly load it, by
// a transfer whose data the scalar unit then reads, or by the scalar unit itself (asc-devkit: SyncAll with a workspace,
// IBSet and IBWait, GroupBarrier; status words of communication kernels).
//
// The store releases all that precedes it on its pipe, because a pipe stores in order. The read by the scalar unit
// acquires the stores to these words that have started: a poll that has not seen one is repeated. A load whose data are
// only computed with acquires nothing. A single look cannot be distinguished from a poll that succeeds at once; it is not
// one if the data were read before the store began, and not loaded again.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "sim/check/footprint.h"
#include "sim/check/timelines.h"

namespace ptosim::check {

class PolledStores {
 public:
    explicit PolledStores(Timelines& timelines) : timelines_{timelines} {}

    void launch(const LaunchEvent& event);
    // An instruction has started with these accesses.
    void start(const InstructionEvent& event, const Footprint& footprint);
    // The scalar unit reads or writes memory, or cleans lines of its data cache.
    void access(const ScalarAccessEvent& event);
    void clean(const CacheEvent& event);

    // True if accesses of this size may be of status words.
    static bool is_small(const Region& region) { return region.end() - region.begin <= kMostBytes; }
    // True if the scalar unit has read data of a load at this location after a store has begun.
    bool polls(SourceLocation load, Cycle store) const {
        const auto last = last_reads_.find(key_of(load));
        return last != last_reads_.end() && last->second >= store;
    }

 private:
    using Ticks = std::shared_ptr<const RemoteTicks>;
    static constexpr uint64_t kMostBytes = 4096;
    static constexpr size_t kMostStores = 256;  // of a core
    static constexpr size_t kMostLoaded = 32;   // of a core
    struct Store {
        Region region;
        Ticks ticks;
    };
    // Bytes of UB that come from loads of status words.
    struct Load {
        Region words;  // in global memory
        SourceLocation location;
    };
    struct Loaded {
        Region local;
        std::vector<Load> loads;
    };
    struct Core {
        std::deque<Store> stores;
        std::deque<Loaded> loaded;
        std::set<uint64_t> cleaned;  // lines of the data cache
        bool all_cleaned = false;
    };

    static uint64_t key_of(SourceLocation at) {
        return uint64_t{at.file} << 48 | uint64_t{at.line} << 16 | at.column;
    }
    std::vector<Ticks> stores_at(const Region& region, uint16_t core) const;
    void note_store(Core& core, CoreId id, Pipe pipe, const Region& region);
    void read(Core& core, CoreId id, const Region& local, Cycle time);
    void pass_on(Core& core, const Footprint& footprint);
    static void forget(Core& core, const Region& written);

    Timelines& timelines_;
    std::vector<Core> cores_;
    std::map<uint64_t, Cycle> last_reads_;  // by location of the load
};

}  // namespace ptosim::check
