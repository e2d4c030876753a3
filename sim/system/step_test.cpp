#include "sim/system/step.h"

#include <catch2/catch.hpp>

#include "isa/core/diagnostic.h"
#include "sim/system/pair_of_hosts.h"

namespace ptosim {
namespace {

StepNode work(const char* name, double us, std::vector<size_t> after = {}) {
    StepNode node;
    node.name = name;
    node.us = us;
    node.after = std::move(after);
    return node;
}

StepNode collective(const char* name, Collective kind, uint64_t bytes, uint64_t ranks, uint64_t apart = 1,
                    std::vector<size_t> after = {}) {
    StepNode node;
    node.name = name;
    node.collective = kind;
    node.bytes = bytes;
    node.ranks = ranks;
    node.apart = apart;
    node.after = std::move(after);
    return node;
}

StepTime time_of(std::vector<StepNode> nodes, uint64_t repeat = 1) {
    return time_of_step(pair_of_hosts(), {"test", repeat, std::move(nodes)});
}

TEST_CASE("A chip does one work at a time, and work hides communication") {
    // A sum of 40 MB by 4 ranks: 2 * 3/4 * 40 MB at 100 GB/s, and 6 steps of two latencies.
    const double sum = 600 + 12;
    const StepTime hidden = time_of({work("a", 100), collective("sum", Collective::kAllReduce, 40'000'000, 4, 1, {0}),
                                     work("b", 700, {0}), work("c", 50, {1, 2})});
    CHECK(hidden.us == Approx(100 + 700 + 50));
    CHECK(hidden.exposed_us == Approx(0));
    CHECK(hidden.critical == std::vector<size_t>{0, 2, 3});
    const StepTime exposed = time_of({work("a", 100), collective("sum", Collective::kAllReduce, 40'000'000, 4, 1, {0}),
                                      work("b", 200, {0}), work("c", 50, {1, 2})},
                                     3);
    CHECK(exposed.us == Approx(3 * (100 + sum + 50)));
    CHECK(exposed.exposed_us == Approx(sum - 200));
    CHECK(exposed.critical == std::vector<size_t>{0, 1, 3});
    const StepTime queued = time_of({work("a", 100), work("b", 10), work("c", 1)});
    CHECK(queued.us == Approx(111));
    CHECK(queued.nodes[2].begin == Approx(110));
    CHECK(queued.critical == std::vector<size_t>{0, 1, 2});
}

TEST_CASE("Collectives that run together share the links of a level") {
    // 1 us and 10 MB on each link. The second one begins after 31 us, when 30 % of the first one are left.
    const StepTime both = time_of({work("first", 31), collective("x", Collective::kAllToAll, 40'000'000, 4),
                                   collective("y", Collective::kAllToAll, 40'000'000, 4, 1, {0})});
    // From 32 us on both carry bytes: x has 100 - 31 = 69 us left, twice that together; then y has 31 left.
    CHECK(both.nodes[1].alone == Approx(101));
    CHECK(both.nodes[1].end == Approx(32 + 2 * 69));
    CHECK(both.nodes[2].end == Approx(32 + 2 * 69 + 31));
    // Between hosts: other links.
    const StepTime apart = time_of({collective("x", Collective::kAllToAll, 40'000'000, 4),
                                    collective("y", Collective::kAllReduce, 1'000'000, 2, 4)});
    CHECK(apart.nodes[0].end == Approx(101));
    CHECK(apart.nodes[1].end == Approx(2 * 2 * 5 + 100));
}

TEST_CASE("Groups of ranks that are not neighbours") {
    const SystemModel system = pair_of_hosts();
    const CollectiveTime across = collective_time(system, Collective::kAllGather, 1'000'000, 2, 4);
    REQUIRE(across.parts.size() == 1);
    CHECK(across.parts[0].level == "L4 network1");
    CHECK(across.us == Approx(2 * 5 + 50));
    const CollectiveTime every_other = collective_time(system, Collective::kAllGather, 4'000'000, 4, 2);
    REQUIRE(every_other.parts.size() == 2);
    CHECK(every_other.parts[0].ranks == 2);
    CHECK(every_other.us == Approx(2 + 20 + 2 * 5 + 100));
    CHECK_THROWS_AS(collective_time(system, Collective::kAllGather, 1, 2, 3), DiagnosticError);
    CHECK_THROWS_AS(collective_time(system, Collective::kAllGather, 1, 4, 4), DiagnosticError);
    CHECK(all_ranks(system) == 8);
}

}  // namespace
}  // namespace ptosim
