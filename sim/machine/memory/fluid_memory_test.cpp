#include "sim/machine/memory/fluid_memory.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

namespace ptosim {
namespace {

constexpr FluidMemory::Use kL2{1000, 0, 1000, 0};
constexpr FluidMemory::Use kMissing{1000, 0, 1000, 1000};

// L2 reads of `rate` bytes per cycle; nothing else is scarce.
FluidMemory reading(Milli rate) { return FluidMemory({rate, rate, 2 * rate, 1'000'000'000}); }

// Runs to the end. Returns the end of each flow, by owner. Owners are indices + 1.
std::vector<Cycle> run(FluidMemory& memory, size_t flows) {
    std::vector<Cycle> ends(flows, 0);
    std::vector<void*> ended;
    while (memory.next_end() != std::numeric_limits<Cycle>::max()) {
        const Cycle now = memory.next_end();
        memory.advance(now, ended);
        for (void* owner : ended) ends[reinterpret_cast<size_t>(owner) - 1] = now;
        ended.clear();
    }
    return ends;
}

void* owner(size_t i) { return reinterpret_cast<void*>(i + 1); }

TEST_CASE("a lone transfer runs at its own limit, rounded up to a cycle") {
    FluidMemory memory = reading(100'000);
    memory.add(0, 1000, 30'000, kL2, owner(0));
    CHECK(run(memory, 1) == std::vector<Cycle>{34});  // 1000 / 30 = 33.3
}

TEST_CASE("equal transfers share equally") {
    FluidMemory memory = reading(100'000);
    for (size_t i = 0; i < 4; ++i) memory.add(0, 1000, 100'000, kL2, owner(i));
    CHECK(run(memory, 4) == std::vector<Cycle>(4, 40));
}

TEST_CASE("what a slow transfer leaves goes to the others") {
    // Max-min fair: one needs 10 of 100, the other two get 45 each.
    FluidMemory memory = reading(100'000);
    memory.add(0, 900, 10'000, kL2, owner(0));
    memory.add(0, 900, 80'000, kL2, owner(1));
    memory.add(0, 900, 80'000, kL2, owner(2));
    CHECK(run(memory, 3) == std::vector<Cycle>{90, 20, 20});
}

TEST_CASE("a transfer that starts later slows those under way, and frees them when it ends") {
    FluidMemory memory = reading(100'000);
    memory.add(0, 1000, 100'000, kL2, owner(0));
    std::vector<void*> ended;
    memory.advance(5, ended);                             // 500 bytes are left
    memory.add(5, 250, 100'000, kL2, owner(1));           // 50 B/cycle each: ends at 10
    CHECK(run(memory, 2) == std::vector<Cycle>{13, 10});  // 250 left at 10, 100 B/cycle: 12.5
}

TEST_CASE("transfers that need the memory behind L2 leave the rest of L2 to those that do not") {
    // L2 gives 100 B/cycle, the memory after it 20: two misses get 10 each, the hit 80.
    FluidMemory memory({100'000, 100'000, 200'000, 20'000});
    memory.add(0, 500, 100'000, kMissing, owner(0));
    memory.add(0, 500, 100'000, kMissing, owner(1));
    memory.add(0, 4000, 100'000, kL2, owner(2));
    CHECK(run(memory, 3) == std::vector<Cycle>{50, 50, 50});
}

TEST_CASE("reads and writes meet in the memory behind L2 and nowhere else") {
    FluidMemory memory({100'000, 50'000, 150'000, 40'000});
    memory.add(0, 1000, 100'000, kL2, owner(0));                 // L2 alone: 100 B/cycle
    memory.add(0, 1000, 100'000, {0, 1000, 1000, 0}, owner(1));  // L2 alone: 50 B/cycle
    CHECK(run(memory, 2) == std::vector<Cycle>{10, 20});
    memory.add(20, 1000, 100'000, kMissing, owner(0));  // 40 B/cycle for both
    memory.add(20, 1000, 100'000, {0, 1000, 1000, 1000}, owner(1));
    CHECK(run(memory, 2) == std::vector<Cycle>{70, 70});
}

TEST_CASE("reads and writes meet in L2 if it moves less both ways than each way") {
    FluidMemory memory({100'000, 100'000, 120'000, 1'000'000'000});
    memory.add(0, 1200, 200'000, kL2, owner(0));
    memory.add(0, 600, 200'000, {0, 1000, 1000, 0}, owner(1));
    // 60 B/cycle each until the write has ended, then 100 for the 600 that are left to read.
    CHECK(run(memory, 2) == std::vector<Cycle>{16, 10});
}

TEST_CASE("bytes are conserved: nothing is faster than its capacity") {
    FluidMemory memory = reading(97'531);
    uint64_t total = 0;
    for (size_t i = 0; i < 37; ++i) {
        const uint64_t bytes = 1000 + 777 * i;
        total += bytes;
        memory.add(0, bytes, 5'000 + 1'000 * i, kL2, owner(i));
    }
    const std::vector<Cycle> ends = run(memory, 37);
    const Cycle last = *std::max_element(ends.begin(), ends.end());
    CHECK(static_cast<double>(last) >= static_cast<double>(total) / 97.531);
}

TEST_CASE("in no stretch of time does more move than a capacity allows, whatever comes when") {
    std::mt19937 chance(20261121);
    const auto below = [&](uint64_t n) { return chance() % n; };
    for (int round = 0; round < 20; ++round) {
        const std::array<Milli, FluidMemory::kResources> capacity{
            50'000 + below(200'000), 50'000 + below(200'000), 60'000 + below(300'000),
            20'000 + below(100'000)};
        FluidMemory memory(capacity);
        struct Sent {
            Cycle begin = 0, end = 0;
            uint64_t bytes = 0;
            FluidMemory::Use use{};
            FluidMemory::Window window;
            Milli limit = 0;
        };
        std::vector<Sent> sent;
        std::vector<void*> ended;
        Cycle now = 0;
        const auto until = [&](Cycle time) {
            while (memory.next_end() <= time && memory.next_end() < UINT64_MAX) {
                now = memory.next_end();
                memory.advance(now, ended);
                for (void* one : ended) sent[reinterpret_cast<size_t>(one) - 1].end = now;
                ended.clear();
            }
        };
        for (size_t i = 0; i < 40; ++i) {
            const Cycle at = now + below(300);
            until(at);
            now = at;
            memory.advance(now, ended);
            const bool write = below(3) == 0;
            Sent one{now, 0, 100 + below(20'000), {}, {}, 0};
            one.use[write ? FluidMemory::kL2Write : FluidMemory::kL2Read] = 1000;
            one.use[FluidMemory::kL2Both] = 1000;
            one.use[FluidMemory::kHbm] = static_cast<uint32_t>(below(3) * 700);
            if (!write && below(2) == 0)
                one.window = {static_cast<uint32_t>(below(3)), below(60'000)};
            one.limit = 5'000 + below(120'000);
            memory.add(now, one.bytes, one.limit, one.use, owner(i), one.window);
            sent.push_back(one);
        }
        until(UINT64_MAX - 1);
        for (const Sent& one : sent) REQUIRE((one.end - one.begin) * one.limit >= one.bytes * 1000);
        for (const Sent& first : sent)
            for (const Sent& last : sent) {
                if (last.end <= first.begin) continue;
                const Cycle cycles = last.end - first.begin;
                std::array<uint64_t, FluidMemory::kResources> moved{}, held{};
                for (const Sent& one : sent) {
                    if (one.begin < first.begin || one.end > last.end) continue;
                    for (size_t r = 0; r < moved.size(); ++r) moved[r] += one.bytes * one.use[r];
                    if (one.window.number < 3)
                        held[one.window.number] += one.bytes * one.window.occupied;
                }
                for (size_t r = 0; r < moved.size(); ++r) {
                    REQUIRE(moved[r] <= capacity[r] * cycles);
                    REQUIRE(held[r] <= 1'000'000 * cycles);
                }
            }
    }
}

TEST_CASE("readers of one place take turns, others do not wait for them") {
    FluidMemory memory = reading(1'000'000);
    // 1000 bytes occupy the window for 20 cycles: 0.02 cycles per byte.
    const FluidMemory::Window hot{0, 20'000}, another{1, 20'000};
    for (size_t i = 0; i < 4; ++i) memory.add(0, 1000, 100'000, kL2, owner(i), hot);
    memory.add(0, 1000, 100'000, kL2, owner(4), another);
    memory.add(0, 1000, 100'000, kL2, owner(5));
    // Four times 20 cycles in turn; alone it needs 20 of the window, or 10 at its limit.
    CHECK(run(memory, 6) == std::vector<Cycle>{80, 80, 80, 80, 20, 10});
}

TEST_CASE("a reader that joins a place slows the others there") {
    FluidMemory memory = reading(1'000'000);
    const FluidMemory::Window hot{0, 10'000};  // 1000 bytes for 10 cycles
    memory.add(0, 1000, 100'000, kL2, owner(0), hot);
    std::vector<void*> ended;
    memory.advance(5, ended);  // half of it is done
    memory.add(5, 1000, 100'000, kL2, owner(1), hot);
    CHECK(run(memory, 2) == std::vector<Cycle>{15, 20});
}

TEST_CASE("what is put off goes when transfers leave some of HBM") {
    FluidMemory memory({100'000, 100'000, 200'000, 20'000});
    memory.defer_write(1000);
    std::vector<void*> ended;
    memory.add(0, 200, 20'000, kMissing, owner(0));  // all of HBM for 10 cycles
    memory.advance(10, ended);
    CHECK(ended.size() == 1);
    CHECK(memory.deferred_writes() == 1000);
    memory.advance(20, ended);  // 10 cycles at 20 B/cycle
    CHECK(memory.deferred_writes() == 800);
    memory.add(20, 300, 15'000, kMissing, owner(1));
    memory.advance(40, ended);  // and 20 at the 5 that are left
    CHECK(memory.deferred_writes() == 700);
}

}  // namespace
}  // namespace ptosim
