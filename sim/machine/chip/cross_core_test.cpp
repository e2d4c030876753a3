// Semantics of ffts_cross_core_sync by mode, as the reference documents them for a2a3.
#include "sim/machine/chip/cross_core.h"

#include <catch2/catch.hpp>

namespace ptosim {
namespace {

CoreId aic(uint16_t i) { return {CoreType::kAIC, i}; }
CoreId aiv(uint16_t i) { return {CoreType::kAIV, i}; }

CrossCoreNetwork two_clusters() {
    CrossCoreNetwork network;
    network.begin({aic(0), aiv(0), aiv(1), aic(1), aiv(2), aiv(3)}, 2);
    return network;
}

TEST_CASE("mode 2 from the AIC reaches both AIVs of its cluster") {
    CrossCoreNetwork network = two_clusters();
    CHECK(network.signal(aic(1), 2, 5).to == std::vector<CoreId>{aiv(2), aiv(3)});
}

TEST_CASE("mode 2 from the AIVs reaches the AIC when both have signalled") {
    CrossCoreNetwork network = two_clusters();
    CHECK(network.signal(aiv(0), 2, 1).to.empty());
    CHECK(network.signal(aiv(0), 2, 1).to.empty());
    CHECK(network.signal(aiv(1), 2, 1).to == std::vector<CoreId>{aic(0)});
    CHECK(network.signal(aiv(1), 2, 1).to == std::vector<CoreId>{aic(0)});
    CHECK(network.signal(aiv(1), 2, 1).to.empty());
}

TEST_CASE("ids do not mix") {
    CrossCoreNetwork network = two_clusters();
    CHECK(network.signal(aiv(0), 2, 1).to.empty());
    CHECK(network.signal(aiv(1), 2, 2).to.empty());
}

TEST_CASE("mode 1 joins the AIVs of a cluster, mode 0 all cores of a type") {
    CrossCoreNetwork network = two_clusters();
    CHECK(network.signal(aiv(2), 1, 0).to.empty());
    CHECK(network.signal(aiv(3), 1, 0).to == std::vector<CoreId>{aiv(2), aiv(3)});
    CHECK(network.signal(aic(0), 0, 0).to.empty());
    CHECK(network.signal(aic(1), 0, 0).to == std::vector<CoreId>{aic(0), aic(1)});
}

TEST_CASE("mode 0 can be for the first cores of a type only") {
    CrossCoreNetwork network = two_clusters();
    CHECK(network.signal(aiv(0), 0, 3, 2).to.empty());
    CHECK(network.signal(aiv(1), 0, 3, 2).to == std::vector<CoreId>{aiv(0), aiv(1)});
}

// Numbers as in hw-native-sys/pto-isa include/pto/npu/a5: AIV 1 is id + 16 for the AIC.
TEST_CASE("intra-block flags go from core to core of a cluster") {
    const CrossCoreNetwork network = two_clusters();
    CHECK(network.intra_block(aic(1), 5).core == aiv(2));
    CHECK(network.intra_block(aic(1), 5).id == 5);
    CHECK(network.intra_block(aic(1), 21).core == aiv(3));
    CHECK(network.intra_block(aic(1), 21).id == 5);
    CHECK(network.intra_block(aiv(2), 5).core == aic(1));
    CHECK(network.intra_block(aiv(2), 5).id == 5);
    CHECK(network.intra_block(aiv(3), 5).core == aic(1));
    CHECK(network.intra_block(aiv(3), 5).id == 21);
}

TEST_CASE("an intra-block signal reaches nobody where the core takes no part") {
    CrossCoreNetwork network;
    network.begin({aiv(0), aiv(1)}, 2);
    CHECK_FALSE(network.intra_block(aiv(0), 5).core.has_value());
}

}  // namespace
}  // namespace ptosim
