// Counts, for a report, the waits of the warps of a block, and the accesses that take more than
// their bytes need.
#pragma once

#include <unordered_map>
#include <vector>

#include "isa/core/thread_report.h"
#include "sim/machine/event/cycle.h"

namespace ptosim {

class ThreadTally {
 public:
    // `begin`: the cycle in which the block begins.
    ThreadTally(size_t warps, Cycle begin) : begin_{begin}, spans_(warps) {}

    // A warp is in a state, in thousandths of cycles of the block.
    void add(unsigned warp, ThreadState state, Milli from, Milli to);
    // An instruction of a warp that takes `took` lines, or passes of banks, and could take `least`.
    void access_global(const void* code, unsigned took, unsigned least, int64_t stride);
    void access_local(const void* code, unsigned took, int64_t stride);
    void miss() { ++counts_.missed; }

    ThreadReport report() const;
    // By warps, in order of time; short ones are merged with their neighbours.
    std::vector<WarpSpan> spans() const;

 private:
    using Sites = std::unordered_map<const void*, ThreadSite>;
    static void note(Sites& sites, const void* code, unsigned lost, int64_t stride);
    static ThreadSite worst(const Sites& sites);

    struct Span {
        ThreadState state{};
        Milli begin = 0, end = 0;
    };
    static void halve(std::vector<Span>& spans);

    Cycle begin_;
    std::vector<std::vector<Span>> spans_;
    std::array<Milli, kThreadStates> states_{};
    ThreadReport counts_{};
    Sites global_{}, local_{};
};

}  // namespace ptosim
