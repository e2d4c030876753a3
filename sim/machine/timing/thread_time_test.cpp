// Times of warps by hand, with figures of powers of ten.
#include "sim/machine/timing/thread_time.h"

#include <catch2/catch.hpp>

namespace ptosim {
namespace {

class Memory : public ThreadMemory {
 public:
    uint64_t touch_line(uint64_t, bool) override { return 0; }
    Milli hold_sector(uint64_t sector, Milli from, Milli time, Milli handover) override {
        free_[sector % free_.size()] =
            std::max(free_[sector % free_.size()], from) + time + handover;
        return free_[sector % free_.size()];
    }

 private:
    std::array<Milli, kWarpLanes> free_{};
};

// Each instruction takes a cycle to issue, and nothing else unless a test sets it.
ChipModel plain_chip() {
    ChipModel chip;
    chip.buffer_bytes[static_cast<size_t>(Space::kUB)] = 256 << 10;
    auto& threads = chip.aiv.threads;
    threads.schedulers = 4;
    threads.issue = 1000;
    threads.cache_most = 4 << 10;
    threads.ways = 4;
    return chip;
}

WarpInstruction access(WarpInstruction::Kind kind, unsigned warp, uint64_t base, uint64_t stride, bool local,
                       unsigned lanes = kWarpLanes) {
    WarpInstruction done;
    done.kind = kind;
    done.warp = static_cast<uint16_t>(warp);
    done.bytes = 4;
    done.local = local;
    done.code = reinterpret_cast<const void*>(base + 1);
    for (unsigned lane = 0; lane < lanes; ++lane) {
        done.active |= 1u << lane;
        done.addresses[lane] = base + lane * stride;
    }
    return done;
}

Cycle time_of(const ChipModel& chip, unsigned warps, const std::vector<WarpInstruction>& all) {
    Memory memory;
    ThreadTime time(chip, memory, {.threads = warps * kWarpLanes}, 0);
    for (const WarpInstruction& one : all) time.execute(one);
    time.advance();
    return (time.elapsed() + 999) / 1000;
}

using Kind = WarpInstruction::Kind;

}  // namespace

TEST_CASE("warps of one scheduler issue after each other") {
    ChipModel chip = plain_chip();
    WarpInstruction code;
    code.kind = Kind::kEnd;
    code.active = 1;
    code.instructions = 9;  // and the end
    std::vector<WarpInstruction> all;
    for (uint16_t warp : {0, 1, 2, 3, 4}) {
        code.warp = warp;
        all.push_back(code);
    }
    CHECK(time_of(chip, 5, all) == 20);  // warps 0 and 4 share one
}

TEST_CASE("words in one bank of UB are read one after the other") {
    ChipModel chip = plain_chip();
    chip.aiv.threads.wave = 10'000;
    CHECK(time_of(chip, 1, {access(Kind::kLoad, 0, 0, 0, true)}) == 11);     // one word for all lanes
    CHECK(time_of(chip, 1, {access(Kind::kLoad, 0, 0, 4, true)}) == 11);     // 16 words in 16 banks
    CHECK(time_of(chip, 1, {access(Kind::kLoad, 0, 0, 512, true)}) == 321);  // 32 words in one
}

TEST_CASE("a load takes the unit for each line that the cache lacks") {
    ChipModel chip = plain_chip();
    chip.aiv.threads.load_line = 10'000;
    chip.aiv.threads.miss = 100'000;
    CHECK(time_of(chip, 1, {access(Kind::kLoad, 0, 0, 4, false)}) == 111);
    CHECK(time_of(chip, 1, {access(Kind::kLoad, 0, 0, 128, false)}) == 421);
    // The second load is of the same line, and the third waits for no other.
    CHECK(time_of(chip, 1, {access(Kind::kLoad, 0, 0, 4, false), access(Kind::kLoad, 0, 4, 4, false, 16)}) == 111);
    CHECK(time_of(chip, 1, {access(Kind::kLoad, 0, 0, 4, false), access(Kind::kLoad, 0, 1024, 4, false)}) == 121);
}

TEST_CASE("a store waits for loads, and other warps go on") {
    ChipModel chip = plain_chip();
    chip.aiv.threads.miss = 100'000;
    chip.aiv.threads.store = 10'000;
    chip.aiv.threads.store_line = 10'000;
    const auto load = [](unsigned warp) { return access(Kind::kLoad, warp, warp * 128, 4, false); };
    const auto store = [](unsigned warp) { return access(Kind::kStore, warp, 4096 + warp * 128, 4, false); };
    CHECK(time_of(chip, 1, {load(0), store(0)}) == 111);
    CHECK(time_of(chip, 2, {load(0), store(0), load(1), store(1)}) == 121);
}

TEST_CASE("additions to one word of global memory follow each other") {
    ChipModel chip = plain_chip();
    chip.aiv.threads.atomic_result = 10'000;
    chip.aiv.threads.atomic = 2'000;
    WarpInstruction same = access(Kind::kAtomic, 0, 0, 0, false), apart = access(Kind::kAtomic, 0, 0, 128, false);
    CHECK(time_of(chip, 1, {same}) == 65);
    CHECK(time_of(chip, 1, {apart}) == 1);  // nothing waits for it
    same.used = apart.used = true;
    CHECK(time_of(chip, 1, {same}) == 321);
    CHECK(time_of(chip, 1, {apart}) == 11);
    // The memory of this test adds what another core's use costs.
    chip.aiv.threads.atomic_handover = 2'000;
    CHECK(time_of(chip, 1, {same}) == 321 + 64);
    CHECK(time_of(chip, 1, {apart}) == 11 + 2);
}

TEST_CASE("a barrier is released when the last warp has reached it") {
    const ChipModel chip = plain_chip();
    Memory memory;
    ThreadTime time(chip, memory, {.threads = 2 * kWarpLanes}, 0);
    WarpInstruction code;
    code.kind = Kind::kBarrier;
    code.active = 1;
    time.execute(code);
    code.warp = 1;
    code.instructions = 49;
    time.execute(code);
    time.advance();
    time.release_barrier();
    CHECK(time.elapsed(0) == 50'000);
}

}  // namespace ptosim
