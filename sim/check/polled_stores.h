// Order between cores by polling: one core stores a status word by a transfer (MTE3, FIX) or a pointer, others repeatedly load it, by
// a transfer whose data the scalar unit then reads, or by the scalar unit itself (asc-devkit: SyncAll with a workspace,
// IBSet and IBWait, GroupBarrier; status words of communication kernels).
//
// The store releases all that precedes it on its pipe, because a pipe stores in order. The read by the scalar unit
// acquires the stores to these words that have started: a poll that has not seen one is repeated. A load whose data are
// only computed with acquires nothing. Only words that the scalar unit has read are polled: a load of other bytes races,
// even at the line of the poll. A single look cannot be distinguished from a poll that succeeds at once; it is not one if
// the data were read before the store began, and not loaded again.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
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
    // True if the scalar unit of a core has read a word among these bytes after another core's store to it had begun.
    // Later stores to the word may come after the last poll, because a library stores it again in each round.
    bool polls(uint16_t loader, uint16_t storer, const Range& bytes) const;

 private:
    using Ticks = std::shared_ptr<const RemoteTicks>;
    static constexpr uint64_t kMostBytes = 4096;
    static constexpr size_t kMostStores = 256;  // of a core
    static constexpr size_t kMostLoaded = 32;   // of a core
    static constexpr size_t kMostWords = 64;    // that a result depends on: the last ones
    struct Store {
        Region region;
        Ticks ticks;
    };
    // Bytes of UB that come from loads of status words.
    struct Loaded {
        Region local;
        std::vector<Region> words;  // in global memory
        bool copied = false;        // `local` is a copy of the only one of `words`
    };
    struct Core {
        std::deque<Store> stores;
        std::deque<Loaded> loaded;
        std::set<uint64_t> cleaned;  // lines of the data cache
        bool all_cleaned = false;
    };

    // The core has read words: it acquires the stores to them that have begun, and has seen them if `sees`. An atomic
    // operation does not see them: its kernel need not look at the old value.
    void acquire(CoreId core, const Region& words, bool sees = true);
    void note_seen(uint16_t loader, uint16_t storer, const Range& bytes);
    void note_store(Core& core, CoreId id, Pipe pipe, const Region& region);
    void read(const Core& core, CoreId id, const Region& local);
    void pass_on(Core& core, const Footprint& footprint);
    static void forget(Core& core, const Region& written);

    Timelines& timelines_;
    std::vector<Core> cores_;
    // Begin and end of bytes that a core has read after another one had stored them, by reader and writer.
    std::map<std::pair<uint16_t, uint16_t>, std::map<uint64_t, uint64_t>> seen_;
};

}  // namespace ptosim::check
