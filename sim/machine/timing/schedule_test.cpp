// Changes that another timing may make, and invariants that it must keep.
#include "sim/machine/timing/schedule.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

namespace ptosim {
namespace {

const CoreId kCore{CoreType::kAIV, 3};

std::vector<Cycle> some_costs(uint64_t seed, unsigned number) {
    Schedule schedule(seed, number);
    std::vector<Cycle> cycles;
    Cost cost;
    cost.occupancy = 100;
    cost.latency = 120;
    for (const Pipe pipe : {Pipe::kMTE2, Pipe::kV, Pipe::kMTE3})
        for (int i = 0; i < 20; ++i) {
            const Cost other = schedule.cost(kCore, pipe, cost);
            cycles.push_back(other.occupancy);
            cycles.push_back(other.latency);
        }
    return cycles;
}

TEST_CASE("number 0 is the chip's own timing") {
    Schedule schedule(7, 0);
    Cost cost;
    cost.occupancy = 100;
    cost.latency = 120;
    cost.shared = Cost::Shared::kRead;
    const Cost same = schedule.cost(kCore, Pipe::kMTE2, cost);
    CHECK(same.occupancy == 100);
    CHECK(same.latency == 120);
    CHECK(same.shared == Cost::Shared::kRead);
    CHECK(schedule.issue_delay(kCore) == 0);
    CHECK(schedule.block_delay(kCore) == 0);
    CHECK(schedule.signal_delay() == 0);
    CHECK_FALSE(schedule.overtakes());
    CHECK(schedule.block_order(3, 2) == std::vector<uint32_t>{0, 1, 2});
}

TEST_CASE("the same seed and number give the same timing, others another") {
    CHECK(some_costs(1, 5) == some_costs(1, 5));
    CHECK(some_costs(1, 5) != some_costs(2, 5));
    CHECK(some_costs(1, 5) != some_costs(1, 6));
}

TEST_CASE("an instruction holds its pipe and takes effect after at least a cycle") {
    for (unsigned number = 1; number < 40; ++number)
        for (const Cycle cycles : some_costs(3, number)) CHECK(cycles >= 1);
}

TEST_CASE("loads are the quickest under the first schedule and the slowest under the second") {
    Cost cost;
    cost.occupancy = 100;
    cost.latency = 120;
    for (int i = 0; i < 20; ++i) {
        Schedule early(static_cast<uint64_t>(i), 1), late(static_cast<uint64_t>(i), 2);
        CHECK(early.cost(kCore, Pipe::kMTE2, cost).latency == 1);
        CHECK(early.cost(kCore, Pipe::kMTE3, cost).latency >= 220);
        CHECK(late.cost(kCore, Pipe::kMTE2, cost).latency >= 220);
        CHECK(late.cost(kCore, Pipe::kMTE3, cost).latency == 1);
    }
}

TEST_CASE("blocks that run at once are dispatched in another order, each of them once") {
    for (unsigned number = 3; number < 20; ++number) {
        const std::vector<uint32_t> order = Schedule(0, number).block_order(10, 4);
        REQUIRE(order.size() == 10);
        for (const auto& [begin, end] : {std::pair{0, 4}, {4, 8}, {8, 10}}) {
            std::vector<uint32_t> group(order.begin() + begin, order.begin() + end);
            std::sort(group.begin(), group.end());
            std::vector<uint32_t> all(static_cast<size_t>(end - begin));
            std::iota(all.begin(), all.end(), static_cast<uint32_t>(begin));
            CHECK(group == all);
        }
    }
}

}  // namespace
}  // namespace ptosim
