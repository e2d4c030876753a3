// Tests which data that threads hand over lack a fence.
#include "sim/native/thread_fences.h"

#include <catch2/catch.hpp>

namespace ptosim {
namespace {

using Kind = WarpInstruction::Kind;

constexpr uint64_t kData = 0x1000, kFlag = 0x2000, kOther = 0x3000;

// An event of lane 0 of a warp.
WarpInstruction event(Kind kind, uint64_t address = 0, uint16_t warp = 0) {
    WarpInstruction done;
    done.kind = kind;
    done.bytes = 4;
    done.active = 1;
    done.warp = warp;
    done.used = done.changes = kind == Kind::kAtomic;
    done.code = reinterpret_cast<const void*>(address + static_cast<uint64_t>(kind));
    done.addresses[0] = address;
    return done;
}

// Two blocks of two warps.
class Blocks {
 public:
    // True if an access lacks a fence.
    bool does(unsigned block, const WarpInstruction& done) {
        const auto found = fences_.execute(blocks_[block], done);
        if (found) last = *found;
        return found.has_value();
    }
    void barrier(unsigned block) { fences_.release_barrier(blocks_[block]); }
    MissingFence last{};

 private:
    ThreadFences fences_;
    std::array<ThreadFences::Running, 2> blocks_{fences_.begin_block(0, 64), fences_.begin_block(1, 64)};
};

}  // namespace

TEST_CASE("data that a block hands over by an atomic operation need a fence before it") {
    for (const bool fence : {false, true}) {
        Blocks blocks;
        CHECK_FALSE(blocks.does(0, event(Kind::kStore, kData)));
        if (fence) blocks.does(0, event(Kind::kFence));
        CHECK_FALSE(blocks.does(0, event(Kind::kAtomic, kFlag)));
        CHECK_FALSE(blocks.does(1, event(Kind::kAtomic, kFlag)));
        CHECK(blocks.does(1, event(Kind::kLoad, kData)) == !fence);
        CHECK(blocks.does(1, event(Kind::kStore, kData)) == !fence);
        if (fence) continue;
        CHECK(blocks.last.block == 0);
        CHECK(blocks.last.address == kData);
        CHECK(blocks.last.handed_over == event(Kind::kAtomic, kFlag).code);
    }
}

TEST_CASE("a fence for threads of a block does not order what another block sees") {
    WarpInstruction fence = event(Kind::kFence);
    fence.of_block = true;
    Blocks blocks;
    blocks.does(0, event(Kind::kStore, kData));
    blocks.does(0, fence);
    blocks.does(0, event(Kind::kAtomic, kFlag));
    blocks.does(0, event(Kind::kAtomic, kFlag, 1));
    CHECK_FALSE(blocks.does(0, event(Kind::kLoad, kData, 1)));
    blocks.does(1, event(Kind::kAtomic, kFlag));
    CHECK(blocks.does(1, event(Kind::kLoad, kData)));
}

TEST_CASE("a block that has not looked at the flag is not reported for its fence") {
    Blocks blocks;
    blocks.does(0, event(Kind::kStore, kData));
    blocks.does(0, event(Kind::kAtomic, kFlag));
    WarpInstruction unused = event(Kind::kAtomic, kFlag);
    unused.used = false;
    CHECK_FALSE(blocks.does(1, unused));
    CHECK_FALSE(blocks.does(1, event(Kind::kAtomic, kOther)));
    CHECK_FALSE(blocks.does(1, event(Kind::kLoad, kData)));
}

TEST_CASE("a failed compare and swap hands nothing over") {
    Blocks blocks;
    blocks.does(0, event(Kind::kStore, kData));
    WarpInstruction failed = event(Kind::kAtomic, kFlag);
    failed.changes = false;
    blocks.does(0, failed);
    blocks.does(1, event(Kind::kAtomic, kFlag));
    CHECK_FALSE(blocks.does(1, event(Kind::kLoad, kData)));
}

TEST_CASE("a polled word is a flag") {
    Blocks blocks;
    blocks.does(0, event(Kind::kStore, kData));
    CHECK_FALSE(blocks.does(1, event(Kind::kLoad, kFlag)));
    CHECK_FALSE(blocks.does(1, event(Kind::kLoad, kFlag)));
    blocks.does(0, event(Kind::kStore, kFlag));
    CHECK_FALSE(blocks.does(1, event(Kind::kLoad, kFlag)));
    CHECK(blocks.does(1, event(Kind::kLoad, kData)));
}

TEST_CASE("barriers pass the flag on to other warps, and their stores to the warp that signals") {
    for (const bool waits : {false, true}) {
        Blocks blocks;
        blocks.does(0, event(Kind::kStore, kData, 1));
        if (waits) blocks.barrier(0);
        blocks.does(0, event(Kind::kAtomic, kFlag, 0));
        blocks.does(1, event(Kind::kAtomic, kFlag, 0));
        CHECK_FALSE(blocks.does(1, event(Kind::kLoad, kData, 1)));
        blocks.barrier(1);
        CHECK(blocks.does(1, event(Kind::kStore, kData, 1)) == waits);
    }
    // The fence of a warp after the barrier counts for stores of the others.
    Blocks blocks;
    blocks.does(0, event(Kind::kStore, kData, 1));
    blocks.barrier(0);
    blocks.does(0, event(Kind::kFence, 0, 0));
    blocks.does(0, event(Kind::kAtomic, kFlag, 0));
    blocks.does(1, event(Kind::kAtomic, kFlag, 0));
    CHECK_FALSE(blocks.does(1, event(Kind::kLoad, kData, 0)));
}

TEST_CASE("a second way with a fence is enough") {
    Blocks blocks;
    blocks.does(0, event(Kind::kStore, kData));
    blocks.does(0, event(Kind::kAtomic, kOther));
    blocks.does(0, event(Kind::kFence));
    blocks.does(0, event(Kind::kAtomic, kFlag));
    blocks.does(1, event(Kind::kAtomic, kOther));
    CHECK(blocks.does(1, event(Kind::kLoad, kData)));
    blocks.does(1, event(Kind::kAtomic, kFlag));
    CHECK_FALSE(blocks.does(1, event(Kind::kLoad, kData)));
}

TEST_CASE("a block number that comes again begins another launch") {
    ThreadFences fences;
    auto first = fences.begin_block(0, 32);
    fences.execute(first, event(Kind::kStore, kData));
    fences.execute(first, event(Kind::kAtomic, kFlag));
    fences.begin_block(0, 32);
    auto second = fences.begin_block(1, 32);
    fences.execute(second, event(Kind::kAtomic, kFlag));
    CHECK_FALSE(fences.execute(second, event(Kind::kLoad, kData)));
}

}  // namespace ptosim
