// Times of the warps of a block by their states, and their use of the memories: for reports and
// advice.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/core/diagnostic.h"

namespace ptosim {

// States of a warp, in the words of profilers of GPUs.
enum class ThreadState : uint8_t {
    kIssues,        // selected
    kDependency,    // wait: the latency of the instruction before
    kNotSelected,   // its scheduler issues for another warp
    kGlobalMemory,  // long scoreboard: a load of global memory has not arrived
    kLocalMemory,   // short scoreboard: a load of UB
    kUnit,          // throttle: the unit for loads and stores is busy
    kAtomic,        // the result of an atomic operation has not arrived
    kBarrier,       // other warps have not reached asc_syncthreads
};
inline constexpr unsigned kThreadStates = 8;
std::string_view name(ThreadState state);

// A place of the code at which accesses take longer than their bytes need.
struct ThreadSite {
    const void* code = nullptr;  // in the kernel
    SourceLocation at{};
    uint64_t lost = 0;   // lines, or passes of banks
    uint64_t times = 0;  // instructions of warps
    int64_t stride = 0;  // bytes from lane to lane; 0: not equally spaced
};

// A warp in one state.
struct WarpSpan {
    uint16_t warp = 0;
    ThreadState state{};
    uint64_t begin = 0, end = 0;  // cycles
};

struct ThreadReport {
    uint64_t blocks = 0, warps = 0;
    uint64_t cycles = 0;                           // of the blocks
    std::array<uint64_t, kThreadStates> states{};  // cycles of all warps
    uint64_t global = 0, lines = 0,
             least_lines = 0;        // accesses of global memory by warps; lines of 128 bytes
    uint64_t missed = 0;             // lines of loads that the data cache did not have
    uint64_t local = 0, passes = 0;  // accesses of UB, and the passes of its banks
    // Cycles of the blocks if all accesses took the least lines; if no banks met; if enough warps
    // hid all latencies.
    uint64_t coalesced = 0, without_conflicts = 0, hidden = 0;
    ThreadSite uncoalesced, conflicting;  // the worst of each

    void add(const ThreadReport& other);
};

}  // namespace ptosim
