// The memory that the cores of a chip share: interface for the cores.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/instruction.h"
#include "isa/core/thread_work.h"
#include "sim/machine/event/event_queue.h"
#include "sim/machine/memory/transfer.h"
#include "sim/machine/observe/core_id.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {

// A pipe of a core. It has at most one transfer under way.
struct Requester {
    CoreId core;
    Pipe pipe = Pipe::kS;
    unsigned cluster = 0;
    friend bool operator==(const Requester&, const Requester&) = default;
};

// Use of L2 and HBM, and the cycles that transfers of cores lost to each other, added up over the transfers.
struct MemoryCounts {
    uint64_t behind_l2 = 0;  // bytes that L2 lacked, and that it wrote back
    // Bytes by which the rates are used: with partial windows, and with rows that are far apart.
    uint64_t hbm_use = 0, l2_read_use = 0, l2_write_use = 0;
    uint64_t reads = 0;
    uint64_t met = 0;       // reads that began at the address that another core was reading
    Cycle met_cycles = 0;     // by which these ended later than alone
    Cycle shared_cycles = 0;  // by which all others ended later, because L2 or HBM was shared
};

// Transfers under way: their number, the sum of their rates in thousandths of bytes per cycle, and the part of each
// resource that they use, in thousandths.
struct MemoryRates {
    uint64_t transfers = 0, rate = 0, l2_reads = 0, l2_writes = 0, hbm = 0;
};

class MemorySystem {
 public:
    virtual ~MemorySystem() = default;

    virtual MemoryCounts counts() const { return {}; }
    virtual MemoryRates rates() const { return {}; }

    // For each cluster with transfers under way, lowers its element of `ends` to the earliest cycle in which one of
    // them can end, whatever others begin. Nothing else has happened since the last event, until `now`.
    virtual void find_least_ends(Cycle /*now*/, std::vector<Cycle>& ends) const {
        ends.assign(ends.size(), 0);
    }
    // Begins a transfer of an instruction. `done` is notified in the cycle in which its last byte has been requested.
    virtual Transfer start(const Requester& requester, const Cost& cost, const GlobalView& view,
                           Event& done) = 0;
    // A transfer of a core's threads, whose lines have passed L2 already. `done` as for start().
    virtual void start_lines(const Requester& requester, const ThreadWork& work, Event& done) = 0;
    // A line of 128 bytes passes L2. Returns the bytes that L2 lacks, and that it writes back.
    virtual uint64_t touch_line(CoreId core, uint64_t address, bool writes) = 0;
    // Does to L2 what a transfer of a view would do, in no time. Returns the bytes that L2 lacks, and that it writes back.
    virtual uint64_t pass(CoreId core, const GlobalView& view, bool writes) = 0;
    // The sum of these bytes over all transfers.
    virtual uint64_t behind_l2() const = 0;
    // Keeps the content of L2, and restores it.
    virtual void keep_l2() = 0;
    virtual void restore_l2() = 0;
    // Accesses of [address, address + size) bypass L2, which keeps nothing of them that it does not already hold.
    virtual void bypass_l2(uint64_t address, uint64_t size) = 0;

    // ---- transfers of other chips, which may also run between launches, while the cores' clock does not advance

    // Begins one at `now`, which must not decrease. `cost.rate` is the link's rate. Returns the delay of its data
    // compared with L2.
    virtual Cycle start_for_peer(Cycle now, uint32_t number, const Cost& cost, const GlobalView& view) = 0;
    // The cycle in which the next one ends, unless something else begins or ends before; UINT64_MAX if there is none.
    virtual Cycle next_end_for_peers() const = 0;
    // Ends all that end until `now`, and appends their numbers.
    virtual void end_for_peers(Cycle now, std::vector<uint32_t>& ended) = 0;
};

}  // namespace ptosim
