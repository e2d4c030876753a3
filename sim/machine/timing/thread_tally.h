// Counts, for a report, the waits of the warps of a block, and the accesses that take more than
// their bytes need.
#pragma once

#include <unordered_map>

#include "isa/core/thread_report.h"
#include "sim/machine/event/cycle.h"

namespace ptosim {

class ThreadTally {
 public:
    // Thousandths of a cycle of one warp.
    void add(ThreadState state, Milli time) { states_[static_cast<size_t>(state)] += time; }
    // An instruction of a warp that takes `took` lines, or passes of banks, and could take `least`.
    void access_global(const void* code, unsigned took, unsigned least, int64_t stride);
    void access_local(const void* code, unsigned took, int64_t stride);
    void miss() { ++counts_.missed; }

    ThreadReport report() const;

 private:
    using Sites = std::unordered_map<const void*, ThreadSite>;
    static void note(Sites& sites, const void* code, unsigned lost, int64_t stride);
    static ThreadSite worst(const Sites& sites);

    std::array<Milli, kThreadStates> states_{};
    ThreadReport counts_{};
    Sites global_{}, local_{};
};

}  // namespace ptosim
