// Time of the threads of a block on a vector core of an a5: warps that issue in turn, the unit for loads and stores, and
// the data cache in UB.
//
// A warp executes in order. Loads whose addresses are equally spaced over the lanes do not wait for earlier loads, because
// such addresses follow from the numbers of the threads; other accesses, stores and the next round of a loop wait. Which
// result an instruction needs is not known otherwise.
#pragma once

#include <vector>

#include "isa/core/thread_run.h"
#include "sim/machine/event/cycle.h"
#include "sim/machine/model/chip_model.h"
#include "sim/machine/timing/thread_tally.h"

namespace ptosim {

// The memory that the cores of a chip share, for the threads of one core.
class ThreadMemory {
 public:
    virtual ~ThreadMemory() = default;
    // A line of 128 bytes passes L2. Returns the bytes that L2 lacked, and that it wrote back.
    virtual uint64_t touch_line(uint64_t address, bool writes) = 0;
    // L2 works on a sector of 128 bytes for `time`, not before `from`, and for `handover` longer
    // after another core. Returns the end, in thousandths of cycles.
    virtual Milli hold_sector(uint64_t sector, Milli from, Milli time, Milli handover) = 0;
};

class ThreadTime {
 public:
    static constexpr uint64_t kLine = 128;

    // Assumes that accesses are as good as possible in a way.
    enum class Assumed : uint8_t { kNothing, kCoalesced, kNoConflicts };

    // `begin`: the cycle in which the block begins. `tally` may be null.
    ThreadTime(const ChipModel& chip, ThreadMemory& memory, const ThreadLaunch& launch, Cycle begin,
               ThreadTally* tally = nullptr, Assumed assumed = Assumed::kNothing);

    void execute(const WarpInstruction& instruction);
    void advance();
    void release_barrier();
    Milli elapsed(unsigned warp) const { return warps_[warp].ready; }
    Milli elapsed() const;
    // The least time of a block with these instructions: of its busiest scheduler, or of the unit
    // for loads and stores.
    Milli least() const;
    size_t warps() const { return warps_.size(); }

    // Bytes of global memory.
    struct Traffic {
        uint64_t read = 0, written = 0, behind_l2 = 0;
    };
    const Traffic& traffic() const { return traffic_; }

 private:
    using Kind = WarpInstruction::Kind;
    struct Operation {
        const void* code = nullptr;
        uint32_t instructions = 0;
        uint32_t first_line = 0;
        uint16_t lines = 0;
        uint16_t waves = 1;      // UB: for bank conflicts; atomic operations: most on one address
        uint16_t most = 0;       // atomic operations: most lanes in one sector
        WarpInstruction::Kind kind = WarpInstruction::Kind::kEnd;
        bool local = false, past_cache = false, used = false, independent = false, wide = false, issued = false;
    };
    struct Warp {
        std::vector<Operation> operations;
        size_t next = 0;
        Milli ready = 0;    // it may issue
        Milli pending = 0;  // its loads have arrived
        bool awaits_global = false;          // among them one of global memory
        std::array<const void*, 8> loads{};  // code of loads under way
        unsigned load_count = 0;
    };
    // A data cache with sets of `ways` lines, of which the one used last stays longest.
    class Cache {
     public:
        Cache(uint64_t bytes, unsigned ways);
        // Returns true if it holds the line. Afterwards it does if `keeps`.
        bool access(uint64_t line, bool keeps);

     private:
        size_t sets_, ways_;
        std::vector<uint64_t> lines_;  // of each set, the last used first
    };

    void find_lines(const WarpInstruction& instruction, Operation& operation);
    void step(unsigned index);
    Milli load(const Operation& operation, Milli at);
    Milli store(const Operation& operation, Milli at);
    Milli atomic(const Operation& operation, Milli at);
    static bool awaits_loads(const Warp& warp, const Operation& operation);

    // The chip's figures, read once.
    struct Figures {
        explicit Figures(const ChipModel& chip);
        Milli call, issue, dependent, wave, ub, hit, miss, load_line, store, store_line, store_wide_line;
        Milli barrier, warp_function, ub_atomic, ub_atomic_result, atomic, atomic_service, atomic_trip;
        Milli atomic_result, atomic_handover, behind_l2;
    };

    const Figures figures_;
    ThreadMemory& memory_;
    std::vector<Warp> warps_;
    std::vector<uint64_t> lines_;  // of the operations not yet done
    std::vector<Milli> issue_free_, issue_busy_;
    Milli unit_free_ = 0, unit_busy_ = 0;  // of loads and stores
    Milli begin_;
    Cache cache_;
    Traffic traffic_;
    std::vector<std::pair<Milli, unsigned>> queue_;
    ThreadTally* tally_;
    Assumed assumed_;
};

}  // namespace ptosim
