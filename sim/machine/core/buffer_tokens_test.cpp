// Buffer ids (a5). Expected cycles are derived from the numbers of tiny_chip().
#include "sim/machine/chip/machine_fixture.h"

namespace ptosim {
namespace {

using enum Pipe;

ChipModel tiny_a5() {
    ChipModel model = tiny_chip();
    model.arch = Arch::kA5;
    return model;
}

SYSTEMC_TEST("pipes take turns at a buffer in the order of the program") {
    Machine machine(tiny_a5());
    const uint64_t x = machine.memory(3200);
    const LaunchResult result = machine.run([&](KernelPort& port) {
        port.issue(get_buffer(kMTE2, 3));
        port.issue(load(0, x, 3200));
        port.issue(release_buffer(kMTE2, 3));
        port.issue(get_buffer(kMTE3, 3));
        port.issue(store(x, 0, 3200));
        port.issue(release_buffer(kMTE3, 3));
        port.issue(get_buffer(kMTE2, 3));
        port.issue(load(0, x, 3200));
        port.issue(release_buffer(kMTE2, 3));
    });
    CHECK(result.finished);
    CHECK(result.diagnostics.empty());
    CHECK(machine.aiv(1) == Times{12, 12, 44, 64});   // 32 cycles, and 20
    CHECK(machine.aiv(2).complete == 64);             // released when the data are written
    CHECK(machine.aiv(4) == Times{15, 64, 96, 126});  // and 30
    CHECK(machine.aiv(7).started == 126);
    CHECK(machine.first_stall("AIV00/MTE3") == Stall{"AIV00/MTE3", BlockReason::kData, 14, 64, 2});
}

SYSTEMC_TEST("buffers of other ids are nothing to wait for") {
    Machine machine(tiny_a5());
    const uint64_t x = machine.memory(3200), y = machine.memory(3200);
    machine.run([&](KernelPort& port) {
        port.issue(get_buffer(kMTE2, 3));
        port.issue(load(0, x, 3200));
        port.issue(release_buffer(kMTE2, 3));
        port.issue(get_buffer(kMTE3, 4));
        port.issue(store(y, 1, 3200));
        port.issue(release_buffer(kMTE3, 4));
    });
    CHECK(machine.aiv(4).started == 15);
}

SYSTEMC_TEST("in mode 1 it is the release that waits for those before it") {
    Machine machine(tiny_a5());
    const uint64_t x = machine.memory(12800), y = machine.memory(3200);
    machine.run([&](KernelPort& port) {
        port.issue(get_buffer(kMTE2, 3, 1));
        port.issue(load(0, x, 12800));  // 12 + 128 + 20
        port.issue(release_buffer(kMTE2, 3, 1));
        port.issue(get_buffer(kMTE3, 3, 1));
        port.issue(store(y, 1, 3200));
        port.issue(release_buffer(kMTE3, 3, 1));
    });
    CHECK(machine.aiv(2).complete == 160);
    CHECK(machine.aiv(4) == Times{15, 15, 47, 77});
    CHECK(machine.aiv(5).started == 160);
}

// 128 cycles of MTE2, and 20 until the data are there.
Cycle begin_of_load_after_release(Machine& machine, unsigned mode) {
    const uint64_t x = machine.memory(12800), y = machine.memory(3200);
    machine.run([&](KernelPort& port) {
        port.issue(get_buffer(kMTE2, 3, mode));
        port.issue(load(0, x, 12800));
        port.issue(release_buffer(kMTE2, 3, mode));
        port.issue(load(1, y, 3200));
    });
    return machine.aiv(3).started;
}

SYSTEMC_TEST("a release in mode 0 does not hold its pipe") {
    Machine machine(tiny_a5());
    CHECK(begin_of_load_after_release(machine, 0) == 140);
}

SYSTEMC_TEST("a release in mode 1 holds its pipe until the pipe's work has ended") {
    Machine machine(tiny_a5());
    CHECK(begin_of_load_after_release(machine, 1) == 160);
}

SYSTEMC_TEST("buffer ids that are held twice, released by others, or kept are findings") {
    Machine machine(tiny_a5());
    const auto codes = [&machine](const Script& script) {
        std::string text;
        for (const Diagnostic& d : machine.run(script).diagnostics)
            text += d.code + " " + d.pipe + ";";
        return text;
    };
    CHECK(codes([](KernelPort& port) {
              port.issue(get_buffer(kMTE2, 3));
              port.issue(get_buffer(kMTE2, 3));
              port.issue(release_buffer(kMTE2, 3));
          }) == "E14 MTE2;");
    CHECK(codes([](KernelPort& port) { port.issue(release_buffer(kV, 3)); }) == "E15 V;");
    CHECK(codes([](KernelPort& port) { port.issue(get_buffer(kMTE3, 3)); }) == "E16 MTE3;");
    // An id that the previous block kept is no longer held.
    CHECK(codes([](KernelPort& port) {
              port.issue(get_buffer(kMTE3, 3));
              port.issue(release_buffer(kMTE3, 3));
          }).empty());
}

}  // namespace
}  // namespace ptosim
