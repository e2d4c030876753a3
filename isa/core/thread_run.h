// Time of the threads of a block: the interface between the code that executes them and the core.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/core/thread_report.h"
#include "isa/core/thread_work.h"

namespace ptosim {

constexpr unsigned kWarpLanes = 32;

// Calls visit(lane) for each lane of a mask.
template <class Visitor>
void for_lanes(uint32_t lanes, Visitor&& visit) {
    for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

// An instruction of a warp: its lanes have reached the same place of the code.
struct WarpInstruction {
    // Numbers of the kernel ABI (ptosim_thread_event_kind).
    enum class Kind : uint8_t { kLoad, kStore, kAtomic, kWarp, kBarrier, kFence, kClock, kEnd };
    Kind kind = Kind::kLoad;
    uint8_t bytes = 0;        // of a lane's access
    bool local = false;       // of UB; else of global memory
    bool past_cache = false;  // bypasses the data cache
    bool used = false;        // the result of an atomic operation is used
    bool changes = false;     // an atomic operation changes memory
    bool of_block = false;    // a fence is for threads of the block only
    uint16_t warp = 0;
    uint32_t active = 0;        // lanes
    uint32_t instructions = 0;  // executed since the warp's previous one, at most of the active lanes
    const void* code = nullptr;
    std::array<uint64_t, kWarpLanes> addresses{};  // in UB, or of global memory
};

struct ThreadLaunch {
    uint32_t threads = 0;  // of the block
    uint64_t shared = 0;   // bytes of UB that they share
    bool called = false;   // by the code of a kernel; else the kernel is theirs
};

// Bytes of UB that threads cannot have.
struct ThreadReserve {
    uint64_t compiler = 0;
    uint64_t data_cache = 0;  // at least
};

class ThreadRun {
 public:
    virtual ~ThreadRun() = default;
    virtual ThreadReserve reserve() const = 0;
    // The next instruction of a warp.
    virtual void execute(const WarpInstruction& instruction) = 0;
    // Advances all warps through their instructions.
    virtual void advance() = 0;
    // All warps have reached a barrier, and continue.
    virtual void release_barrier() = 0;
    // Cycles from the begin of the block until the warp has done everything.
    virtual uint64_t elapsed(unsigned warp) const = 0;
    // Lets the core's time pass up to the present state of the warps, and a little longer.
    virtual void wait() = 0;
    // The cycles of the block that have not passed, and its bytes of global memory.
    virtual ThreadWork work() const = 0;
    // The order in which warps are executed next, in data; empty: as they are numbered.
    virtual std::vector<uint32_t> warp_order() { return {}; }
    // The report of its warps, without the locations of sites, if somebody observes.
    virtual std::optional<ThreadReport> report() const { return std::nullopt; }
    virtual std::vector<WarpSpan> spans() const { return {}; }
};

// Takes no time.
class UntimedThreads : public ThreadRun {
 public:
    explicit UntimedThreads(ThreadReserve reserve) : reserve_{reserve} {}
    ThreadReserve reserve() const override { return reserve_; }
    void execute(const WarpInstruction&) override {}
    void advance() override {}
    void release_barrier() override {}
    uint64_t elapsed(unsigned) const override { return 0; }
    void wait() override {}
    ThreadWork work() const override { return {}; }

 private:
    ThreadReserve reserve_;
};

}  // namespace ptosim
