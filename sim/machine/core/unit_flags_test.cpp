// Unit flags, by which M and FIX hand over products. Expected cycles are derived from the numbers of tiny_chip().
#include "sim/machine/chip/machine_fixture.h"

namespace ptosim {
namespace {

using enum Pipe;

const CoreId kAic{CoreType::kAIC, 0};

SYSTEMC_TEST("FIX reads a product while it is written, as late as it must not to run into it") {
    ChipModel model = tiny_chip();
    model.aic.l0c_to_gm.rate = 100'000;  // 100: 82 cycles, where the product takes 128
    Machine machine(model);
    const uint64_t y = machine.memory(8192);
    const LaunchResult result = machine.run_cluster(
        [&](KernelPort& port) {
            port.issue(product(UnitFlagPhase::kFinal));
            port.issue(store_product(y, UnitFlagPhase::kFinal));
        },
        {});
    CHECK(result.finished);
    // Its last unit is written at 139; FIX takes 81.92 cycles if nothing shares its path.
    CHECK(machine.times(kAic, 0).pipe_free == 139);
    CHECK(machine.times(kAic, 1).started == 139 - 81);
}

SYSTEMC_TEST("a product into units that are being read ends a unit behind their reader") {
    Machine machine;
    const uint64_t y = machine.memory(8192);
    const LaunchResult result = machine.run_cluster(
        [&](KernelPort& port) {
            port.issue(product(UnitFlagPhase::kFinal));
            port.issue(store_product(y, UnitFlagPhase::kFinal));
            port.issue(product(UnitFlagPhase::kFinal));
            port.issue(store_product(y, UnitFlagPhase::kFinal));
        },
        {});
    CHECK(result.finished);
    // A unit is written every 8 cycles, the first at 19. FIX takes 820 cycles (819.2).
    CHECK(machine.times(kAic, 1).started == 19);
    CHECK(machine.times(kAic, 1).pipe_free == 839);
    CHECK(machine.times(kAic, 2).started == 139);
    CHECK(machine.times(kAic, 2).pipe_free == 839 + 8);
    CHECK(machine.times(kAic, 3).started == 839);
    // Its data take effect after the data of the reader before it.
    CHECK(machine.times(kAic, 1).complete == 869);
    CHECK(machine.times(kAic, 2).complete == 870);
}

SYSTEMC_TEST("FIX reads what is there of a product of the partial phase at the end alone") {
    Machine machine;
    const uint64_t y = machine.memory(8192);
    const LaunchResult result = machine.run_cluster(
        [&](KernelPort& port) {
            port.issue(product(UnitFlagPhase::kPartial));
            port.issue(product(UnitFlagPhase::kFinal));
            port.issue(store_product(y, UnitFlagPhase::kFinal));
        },
        {});
    CHECK(result.finished);
    // The first product sets no unit. The first unit of the second is written at 139 + 8.
    CHECK(machine.times(kAic, 1).started == 139);
    CHECK(machine.times(kAic, 2).started == 139 + 8);
}

SYSTEMC_TEST("FIX waits for ever for units that nobody sets, and M for units that nobody clears") {
    Machine machine;
    const uint64_t y = machine.memory(8192);
    const LaunchResult result = machine.run_cluster(
        [&](KernelPort& port) {
            port.issue(product(UnitFlagPhase::kFinal));
            port.issue(product(UnitFlagPhase::kFinal));
            port.issue(store_product(y, UnitFlagPhase::kUnspecified));
        },
        {});
    CHECK_FALSE(result.finished);
    REQUIRE(result.diagnostics.size() == 1);
    CHECK(result.diagnostics[0].code == "E05");
    CHECK(result.diagnostics[0].pipe == "M");
    CHECK(result.diagnostics[0].message.find("unit flags that FIX has not cleared") !=
          std::string::npos);
}

// Pipes reuse the entries that hold instructions.
SYSTEMC_TEST("flags behind many products with unit flags have no phase of theirs") {
    Machine machine;
    const uint64_t y = machine.memory(8192);
    const LaunchResult result = machine.run_cluster(
        [&](KernelPort& port) {
            for (int i = 0; i < 80; ++i) {
                port.issue(product(UnitFlagPhase::kFinal));
                port.issue(store_product(y, UnitFlagPhase::kFinal));
            }
            for (int i = 0; i < 80; ++i) {
                port.issue(set_flag(kFIX, kM, 0));
                port.issue(wait_flag(kFIX, kM, 0));
            }
        },
        {});
    CHECK(result.finished);
}

}  // namespace
}  // namespace ptosim
