#include "sim/system/collectives.h"

#include <catch2/catch.hpp>

#include "isa/core/diagnostic.h"
#include "sim/system/pair_of_hosts.h"

namespace ptosim {
namespace {

TEST_CASE("A sum in a ring sends each byte nearly twice, in steps") {
    const CollectiveTime time = collective_time(pair_of_hosts(), Collective::kAllReduce, 40'000'000, 4);
    REQUIRE(time.parts.size() == 1);
    CHECK(time.parts[0].bytes == 60'000'000);  // 2 * 3/4
    CHECK(time.us == Approx(600 + 6 * 2));
    CHECK(collective_time(pair_of_hosts(), Collective::kAllGather, 40'000'000, 4).us == Approx(300 + 3 * 2));
    CHECK(collective_time(pair_of_hosts(), Collective::kAllReduce, 40'000'000, 1).us == 0);
}

TEST_CASE("Hosts sum what a rank of theirs is left with") {
    const CollectiveTime time = collective_time(pair_of_hosts(), Collective::kAllReduce, 40'000'000, 8);
    REQUIRE(time.parts.size() == 2);
    CHECK(time.parts[1].level == "L4 network1");
    CHECK(time.parts[1].ranks == 2);
    CHECK(time.parts[1].bytes == 10'000'000);  // a quarter, 2 * 1/2
    CHECK(time.us == Approx(612 + 1000 + 2 * 10));
}

TEST_CASE("An exchange uses all links at once, and the slowest level counts") {
    SystemModel system = pair_of_hosts();
    CHECK(collective_time(system, Collective::kAllToAll, 40'000'000, 4).us == Approx(1 + 100));  // 10 MB a link
    system.port_rate = 150'000'000'000;
    CHECK(collective_time(system, Collective::kAllToAll, 40'000'000, 4).us == Approx(1 + 200));
    system.topology = SystemModel::Topology::kSwitch;
    CHECK(collective_time(system, Collective::kAllToAll, 40'000'000, 4).us == Approx(1 + 300));
    CHECK(collective_time(system, Collective::kAllToAll, 40'000'000, 8).us == Approx(5 + 2000));  // half leaves the host
}

TEST_CASE("Ranks fill hosts") {
    for (const uint64_t ranks : {uint64_t{0}, uint64_t{5}, uint64_t{12}})
        CHECK_THROWS_AS(collective_time(pair_of_hosts(), Collective::kAllReduce, 1, ranks), DiagnosticError);
    CHECK(parse_collective("all_to_all") == Collective::kAllToAll);
    CHECK_FALSE(parse_collective("sum"));
}

}  // namespace
}  // namespace ptosim
