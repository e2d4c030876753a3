// A core's pipes, its scalar unit and its flags. Every expected cycle is derived from the numbers of tiny_chip()
// (sim/machine/chip/machine_fixture.h): the first instruction of a block is issued at 10 + 1.
#include "sim/machine/chip/machine_fixture.h"

namespace ptosim {
namespace {

using enum Pipe;

SYSTEMC_TEST("a load takes its bytes at the path's rate, and its data are there a latency later") {
    Machine machine;
    const uint64_t x = machine.memory(3200);
    machine.run([&](KernelPort& port) { port.issue(load(0, x, 3200)); });
    // 3200 bytes at 100 per cycle: 32 cycles, and 20 more until the data are written.
    CHECK(machine.aiv(0) == Times{11, 11, 43, 63});
}

SYSTEMC_TEST("a pipe starts its next load when the bytes of the one before are through") {
    Machine machine;
    const uint64_t x = machine.memory(3200);
    machine.run([&](KernelPort& port) {
        port.issue(load(0, x, 3200));
        port.issue(load(1, x, 3200));
    });
    CHECK(machine.aiv(0) == Times{11, 11, 43, 63});
    CHECK(machine.aiv(1) == Times{12, 43, 75, 95});
}

SYSTEMC_TEST("pipes know nothing of each other without flags") {
    Machine machine;
    const uint64_t x = machine.memory(12800);
    machine.run([&](KernelPort& port) {
        port.issue(load(0, x, 12800));
        port.issue(absolute(1, 0, 12800));
    });
    CHECK(machine.aiv(0) == Times{11, 11, 139, 159});
    CHECK(machine.aiv(1) == Times{12, 12, 62, 67});  // 50 times 256 bytes, and 5
}

SYSTEMC_TEST("a full queue stalls the scalar unit until an entry leaves it") {
    Machine machine;
    const uint64_t x = machine.memory(3200);
    machine.run([&](KernelPort& port) {
        for (unsigned i = 0; i < 6; ++i) port.issue(load(0, x, 3200));
    });
    // Four fit: issued at 11 to 14. The first leaves at 43, the second at 75.
    CHECK(machine.aiv(3).issued == 14);
    CHECK(machine.aiv(4).issued == 43);
    CHECK(machine.aiv(5).issued == 75);
    const std::vector<Stall>& stalls = machine.stalls();
    REQUIRE(stalls.size() >= 2);
    CHECK(stalls[0] == Stall{"AIV00/S", BlockReason::kQueueFull, 15, 43, 0});
    CHECK(stalls[1] == Stall{"AIV00/S", BlockReason::kQueueFull, 44, 75, 0});
}

SYSTEMC_TEST(
    "the control flow runs ahead of what it has issued, and catches up to read the clock") {
    Machine machine;
    const uint64_t x = machine.memory(3200);
    uint64_t after_issue = 0, after_clock = 0;
    machine.run([&](KernelPort& port) {
        for (unsigned i = 0; i < 5; ++i) port.issue(load(0, x, 3200));
        after_issue = machine.chip().now();  // nothing has been issued yet
        after_clock = port.cycle();
    });
    CHECK(after_issue == 10);
    CHECK(after_clock == 43);  // when the fifth found room
}

SYSTEMC_TEST("scalar operations delay the next instruction, and a scalar load stands still") {
    Machine machine;
    const uint64_t x = machine.memory(3200);
    uint64_t loaded = 0;
    machine.run([&](KernelPort& port) {
        port.issue(load(0, x, 3200));
        port.scalar_work(7);
        port.issue(load(1, x, 3200));  // 7 + 1 after the first
        port.load_global(x, DType::kI32, ScalarPath::kThroughCache, {});
        loaded = port.cycle();
    });
    CHECK(machine.aiv(1).issued == 19);
    CHECK(loaded == 69);  // and 50
}

SYSTEMC_TEST("a wait holds its pipe until the set behind the load has taken effect") {
    Machine machine;
    const uint64_t x = machine.memory(12800);
    machine.run([&](KernelPort& port) {
        port.issue(load(0, x, 12800));
        port.issue(set_flag(kMTE2, kV, 0));
        port.issue(wait_flag(kMTE2, kV, 0));
        port.issue(absolute(1, 0, 12800));
    });
    // The set starts when MTE2 is free (139) and completes after the load (159).
    CHECK(machine.aiv(1) == Times{12, 139, 139, 159});
    CHECK(machine.aiv(2) == Times{13, 159, 159, 159});
    CHECK(machine.aiv(3) == Times{14, 159, 209, 214});
    CHECK(machine.first_stall("AIV00/V") == Stall{"AIV00/V", BlockReason::kFlag, 13, 159, 1});
}

SYSTEMC_TEST("a barrier holds its pipe until what is in flight has completed") {
    Machine machine;
    machine.run([&](KernelPort& port) {
        port.issue(absolute(0, 0, 2560));  // 10 cycles, the result after 15
        port.issue(absolute(1, 1, 2560));
        port.issue(barrier(kV));
        port.issue(absolute(0, 0, 2560));
    });
    CHECK(machine.aiv(0) == Times{11, 11, 21, 26});
    CHECK(machine.aiv(1) == Times{12, 21, 31, 36});
    CHECK(machine.aiv(3) == Times{14, 36, 46, 51});
    CHECK(machine.first_stall("AIV00/V") == Stall{"AIV00/V", BlockReason::kBarrier, 31, 36, 0});
}

SYSTEMC_TEST("a barrier of all pipes stalls the scalar unit") {
    Machine machine;
    const uint64_t x = machine.memory(3200);
    machine.run([&](KernelPort& port) {
        port.issue(load(0, x, 3200));  // until 63
        port.issue(barrier(kAll));
        port.issue(absolute(1, 1, 2560));
    });
    CHECK(machine.aiv(1) == Times{12, 63, 63, 63});
    CHECK(machine.aiv(2).issued == 64);
    CHECK(machine.first_stall("AIV00/S") == Stall{"AIV00/S", BlockReason::kBarrier, 12, 63, 0});
}

SYSTEMC_TEST("a flag towards the scalar unit stops the control flow until it is set") {
    Machine machine;
    uint64_t passed = 0;
    machine.run([&](KernelPort& port) {
        port.issue(absolute(0, 0, 2560));  // until 26
        port.issue(set_flag(kV, kS, 3));
        port.issue(wait_flag(kV, kS, 3));
        passed = port.cycle();
    });
    CHECK(passed == 26);
    CHECK(machine.first_stall("AIV00/S") == Stall{"AIV00/S", BlockReason::kFlag, 13, 26, 1});
}

SYSTEMC_TEST("a second set of a flag that nobody has waited for is lost, and told") {
    Machine machine;
    const LaunchResult result = machine.run([&](KernelPort& port) {
        port.issue(set_flag(kMTE2, kV, 0));
        port.issue(set_flag(kMTE2, kV, 0));
        port.issue(wait_flag(kMTE2, kV, 0));
    });
    CHECK(result.finished);
    REQUIRE(result.diagnostics.size() == 1);
    CHECK(result.diagnostics[0].code == "E07");
    CHECK(result.diagnostics[0].cycle == 12);
}

SYSTEMC_TEST(
    "two sets that complete in one cycle take effect in turn where a wait stands between") {
    Machine machine;
    const uint64_t x = machine.memory(3200);
    const LaunchResult result = machine.run([&](KernelPort& port) {
        port.issue(load(0, x, 3200));  // both sets complete after it, at 63
        port.issue(set_flag(kMTE2, kV, 0));
        port.issue(set_flag(kMTE2, kV, 0));
        port.issue(wait_flag(kMTE2, kV, 0));
        port.issue(wait_flag(kMTE2, kV, 0));
    });
    CHECK(result.diagnostics.empty());
    CHECK(machine.aiv(1).complete == 63);
    CHECK(machine.aiv(2).complete == 64);
    CHECK(machine.aiv(3).started == 63);
    CHECK(machine.aiv(4).started == 64);
}

SYSTEMC_TEST("a flag of a chip whose flags hold two sets keeps the second one") {
    ChipModel model = tiny_chip();
    model.flags.sets = 2;
    Machine machine(model);
    const auto sets = [&](unsigned count) {
        return machine.run([count](KernelPort& port) {
            for (unsigned i = 0; i < count; ++i) port.issue(set_flag(kMTE2, kV, 0));
            port.issue(wait_flag(kMTE2, kV, 0));
            port.issue(wait_flag(kMTE2, kV, 0));
        });
    };
    const LaunchResult two = sets(2);
    CHECK(two.finished);
    CHECK(two.diagnostics.empty());
    const LaunchResult three = sets(3);
    REQUIRE(three.diagnostics.size() == 1);
    CHECK(three.diagnostics[0].code == "E07");
}

SYSTEMC_TEST(
    "with the scoreboard an instruction starts when those that it conflicts with are done") {
    Machine machine;
    const uint64_t x = machine.memory(12800), y = machine.memory(12800);
    LaunchOptions options = Machine::one_block();
    options.sync = SyncMode::kAuto;
    machine.run(
        [&](KernelPort& port) {
            port.issue(load(0, x, 12800));
            port.issue(absolute(1, 0, 12800));
            port.issue(set_flag(kV, kMTE3, 0));  // takes the time of its issue, and no number
            port.issue(store(y, 1, 12800));
            port.issue(absolute(2, 2, 256));  // V works in order: after the other
        },
        options);
    CHECK(machine.aiv(0) == Times{11, 11, 139, 159});
    CHECK(machine.aiv(1) == Times{12, 159, 209, 214});
    CHECK(machine.aiv(2) == Times{14, 214, 342, 372});  // 128 cycles, and 30
    CHECK(machine.aiv(3) == Times{15, 209, 210, 215});
    CHECK(machine.first_stall("AIV00/V") == Stall{"AIV00/V", BlockReason::kData, 12, 159, 0});
}

SYSTEMC_TEST(
    "data take effect at completion, and time does not depend on whether they are computed") {
    Machine machine;
    const uint64_t x = machine.memory(256), y = machine.memory(256);
    const auto in = reinterpret_cast<float*>(x);
    const auto out = reinterpret_cast<float*>(y);
    for (int i = 0; i < 64; ++i) in[i] = -1.5f * static_cast<float>(i);
    const Script script = [&](KernelPort& port) {
        port.issue(load(0, x, 256));
        port.issue(set_flag(kMTE2, kV, 0));
        port.issue(wait_flag(kMTE2, kV, 0));
        port.issue(absolute(1, 0, 256));
        port.issue(set_flag(kV, kMTE3, 0));
        port.issue(wait_flag(kV, kMTE3, 0));
        port.issue(store(y, 1, 256));
    };
    LaunchOptions timing = Machine::one_block();
    timing.mode = RunMode::kTiming;
    const Cycle without_data = machine.run(script, timing).cycles;
    CHECK(out[2] == 0);
    CHECK(machine.run(script).cycles == without_data);
    CHECK(out[2] == 3);
    CHECK(out[63] == 94.5f);
    // 11 + 3 (2.56 cycles) + 20 = 34; V: 1 + 5, until 40; MTE3: 3 + 30.
    CHECK(without_data == 73);
}

SYSTEMC_TEST(
    "an instruction that cannot be is told when it would have been issued, with no effect") {
    Machine machine;
    const uint64_t x = machine.memory(3200);
    const LaunchResult result = machine.run([&](KernelPort& port) {
        port.issue(load(0, x, 3200));
        port.issue(at_line(load(0, x, 6400), 5));
    });
    CHECK_FALSE(result.finished);
    REQUIRE(result.diagnostics.size() == 1);
    const Diagnostic& d = result.diagnostics[0];
    CHECK(d.code == "G01");
    CHECK(d.cycle == 12);
    CHECK(d.location.line == 5);
    CHECK(d.core == "AIV00");
    CHECK(d.pipe == "MTE2");
    CHECK(d.operand == "src");
    CHECK(d.message.find("spans 6400 bytes, array has 3200") != std::string::npos);
}

SYSTEMC_TEST("a tile beyond its buffer, and a pipe that the core does not have, are refused") {
    Machine machine;
    const auto code_of = [](const LaunchResult& result) {
        return result.diagnostics.empty() ? "none" : result.diagnostics[0].code;
    };
    // UB has 128 KiB: slot 7 ends with it.
    CHECK(code_of(machine.run([](KernelPort& port) { port.issue(absolute(7, 7, 16384)); })) ==
          "none");
    CHECK(code_of(machine.run([](KernelPort& port) { port.issue(absolute(7, 7, 16384 + 32)); })) ==
          "A03");
}

SYSTEMC_TEST("a view that has left its allocation is found also where the instruction is known") {
    Machine machine;
    const uint64_t x = machine.memory(4096);
    const LaunchResult result = machine.run([&](KernelPort& port) {
        // The second and third differ from the first in their addresses only: 3712 and 4224 bytes.
        for (unsigned i = 0; i < 3; ++i) port.issue(load(0, x + 512 * i, 3200));
    });
    CHECK_FALSE(result.finished);
    REQUIRE(result.diagnostics.size() == 1);
    CHECK(result.diagnostics[0].code == "G01");
    CHECK(result.diagnostics[0].cycle == 13);
}

SYSTEMC_TEST("as many instructions of a pipe are in flight as its queue holds") {
    Machine machine;
    const uint64_t x = machine.memory(128);
    machine.run([&](KernelPort& port) {
        for (unsigned i = 0; i < 5; ++i) port.issue(load(i, x, 128));
    });
    // Two cycles each, and 20 until the data are written: four are in flight at 19.
    CHECK(machine.aiv(3) == Times{14, 17, 19, 39});
    CHECK(machine.aiv(4) == Times{15, 33, 35, 55});
    CHECK(machine.first_stall("AIV00/MTE2") ==
          Stall{"AIV00/MTE2", BlockReason::kInFlight, 19, 33, 0});
}

SYSTEMC_TEST("sets of flags that a launch leaves are there when the next one begins") {
    Machine machine;
    CHECK(machine
              .run([](KernelPort& port) {
                  for (unsigned i = 0; i < 2; ++i) port.issue(set_flag(kMTE2, kV, i));
              })
              .flags_held == 0);
    const Script waits = [](KernelPort& port) { port.issue(wait_flag(kMTE2, kV, 1)); };
    const LaunchResult second = machine.run(waits);
    CHECK(second.flags_held == 2);
    CHECK(second.finished);
    CHECK(machine.aiv(0).started == 11);
    const LaunchResult third = machine.run(waits);
    CHECK(third.flags_held == 1);
    CHECK_FALSE(third.finished);
}

// Kernels of PyPTO Pro for the Ascend 950 set flags before loops and leave them set at the end.
SYSTEMC_TEST("a chip that clears flags drops the sets that a launch has left") {
    ChipModel model = tiny_chip();
    model.flags.sets = 2;
    model.flags.cleared = 1;
    Machine machine(model);
    CHECK(machine
              .run([](KernelPort& port) {
                  for (unsigned i = 0; i < 3; ++i) port.issue(set_flag(kMTE2, kV, i / 2));
              })
              .finished);
    const LaunchResult same = machine.run([](KernelPort& port) {
        port.issue(set_flag(kMTE2, kV, 0));
        port.issue(wait_flag(kMTE2, kV, 0));
    });
    CHECK(same.flags_held == 0);
    CHECK(same.finished);
    const Script waits = [](KernelPort& port) { port.issue(wait_flag(kMTE2, kV, 1)); };
    CHECK_FALSE(machine.run(waits).finished);
}

SYSTEMC_TEST("a set that an earlier launch has left takes the room of a new one") {
    Machine machine;  // whose flags hold one set
    const Script sets = [](KernelPort& port) { port.issue(set_flag(kMTE2, kV, 0)); };
    CHECK(machine.run(sets).diagnostics.empty());
    const LaunchResult again = machine.run(sets);
    REQUIRE(again.diagnostics.size() == 1);
    CHECK(again.diagnostics[0].code == "E07");
    CHECK(again.diagnostics[0].related.empty());  // the set is in no line of this kernel
}

}  // namespace
}  // namespace ptosim
