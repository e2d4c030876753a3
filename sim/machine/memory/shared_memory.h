// A domain of memory: L2 and the memory after it, whose bandwidth transfers share.
#pragma once

#include <unordered_map>
#include <vector>

#include "isa/core/instruction.h"
#include "sim/machine/event/event_queue.h"
#include "sim/machine/memory/fluid_memory.h"
#include "sim/machine/memory/l2_cache.h"
#include "sim/machine/memory/memory_system.h"

namespace ptosim {

class SharedMemory : public MemorySystem {
 public:
    // `clock` is the clock of the cores. Records in `read` the parameters that affect times.
    SharedMemory(EventQueue& event_queue, const MemoryDomain& domain, uint64_t clock,
                 ParametersRead& read);
    Transfer start(const Requester& requester, const Cost& cost, const GlobalView& view,
                   Event& done) override;
    void find_least_ends(Cycle now, std::vector<Cycle>& ends) const override;
    void start_lines(const Requester& requester, const ThreadWork& work, Event& done) override;
    uint64_t touch_line(CoreId, uint64_t address, bool writes) override {
        l2_.row(address, L2Cache::kSector, writes ? L2Cache::Access::kWrite : L2Cache::Access::kRead);
        const L2Cache::Traffic traffic = l2_.take();
        return traffic.miss_bytes + traffic.written_back;
    }
    uint64_t pass(CoreId, const GlobalView& view, bool writes) override {
        const L2Cache::Traffic traffic = touch(view, access(view, writes));
        return traffic.miss_bytes + traffic.written_back;
    }
    MemoryCounts counts() const override {
        MemoryCounts counts = counts_;
        counts.behind_l2 = bytes_behind_l2_;
        return counts;
    }
    MemoryRates rates() const override {
        const auto used = [this](FluidMemory::Resource resource) { return memory_.used(resource); };
        return {memory_.transfers(), memory_.rate(), used(FluidMemory::kL2Read), used(FluidMemory::kL2Write), used(FluidMemory::kHbm)};
    }
    uint64_t behind_l2() const override { return bytes_behind_l2_; }
    void keep_l2() override { kept_l2_ = l2_.content(); }
    void restore_l2() override { l2_.restore(kept_l2_); }
    void bypass_l2(uint64_t address, uint64_t size) override {
        bypass_l2_.push_back({address, size});
    }
    Cycle start_for_peer(Cycle now, uint32_t number, const Cost& cost, const GlobalView& view) override;
    Cycle next_end_for_peers() const override {
        return ended_for_peers_.empty() ? memory_.next_end(FluidMemory::Owner::kPeers) : ended_at_;
    }
    void end_for_peers(Cycle now, std::vector<uint32_t>& ended) override;

 private:
    struct Range {
        uint64_t address = 0, size = 0;
    };
    // Bytes that a requester has requested and not received: its latest read, and bytes outstanding before it.
    struct Outstanding {
        Cycle began = 0, ended = 0;
        uint64_t bytes = 0, before = 0;
        uint64_t in_flight = 0;  // at the end
        Milli latency = 0;       // mean over the read's bytes
        void end(Cycle now, uint64_t most);
    };
    // Transfer of a requester, or of another chip.
    struct Request {
        Event* done = nullptr;  // null: of another chip
        uint32_t number = 0;    // in that case
        unsigned cluster = 0;   // of the requester
        bool has_read = false;  // in this request or an earlier one
        bool met = false;       // other cores read the same address
        Cycle alone_end = 0;    // without other transfers
        uint32_t read = 0;      // of a read: its Read
        Outstanding outstanding;
    };
    // A part of memory that is being read. Reads that begin at the same address meanwhile queue for the same windows.
    // Its number is its index.
    struct Read {
        uint64_t address = 0;
        uint64_t misses = 0;  // the most bytes that a reader's transfer has to fetch
        std::vector<const Request*> readers;
    };

    L2Cache::Access access(const GlobalView& view, bool write) const;
    L2Cache::Traffic touch(const GlobalView& view, L2Cache::Access access);
    Milli limit(const Cost& cost, uint64_t touched, const Outstanding* outstanding) const;
    Request& request_of(const Requester& requester);
    Transfer begin(Cycle now, Request& request, const Cost& cost, const GlobalView& view);
    void advance(Cycle now);
    void note_read(Request& request, const Cost& cost, uint64_t bytes, uint64_t far) const;
    static uint64_t left(uint64_t bytes, Cycle later, Milli latency);
    uint64_t behind_l2(const Cost& cost, const L2Cache::Traffic& traffic, bool bypasses) const;
    Read& join(uint64_t address, uint64_t misses, const Request& request);
    void collect(Cycle now);
    void update();
    void schedule();

    EventQueue& event_queue_;
    const MemoryDomain& domain_;
    ParametersRead& read_;
    L2Cache l2_;
    FluidMemory memory_;
    L2Cache::Content kept_l2_;
    MemoryCounts counts_;
    uint64_t bytes_behind_l2_ = 0;  // that L2 lacked, and that it wrote back
    Actor updater_ = Actor::of<&SharedMemory::update>(this, Actor::Kind::kUrgent);
    Event wake_;
    std::vector<void*> ended_;  // Requests
    std::vector<Read> reads_;
    std::unordered_map<uint32_t, Request> requests_;  // by requester
    std::unordered_map<uint32_t, Request> of_peers_;  // by number
    std::vector<uint32_t> ended_for_peers_;           // and not yet taken by end_for_peers()
    Cycle ended_at_ = 0;                              // the last of them
    std::vector<Range> bypass_l2_;
};

}  // namespace ptosim
