// Several kernels in one launch: their cores, begins and results. Expected cycles are derived from the numbers of
// tiny_chip(): a block of one instruction takes 26 (see chip_test.cpp).
#include "sim/machine/chip/machine_fixture.h"

namespace ptosim {
namespace {

const CoreId kAivZero{CoreType::kAIV, 0}, kAivOne{CoreType::kAIV, 1};

void one_instruction(KernelPort& port) { port.issue(absolute(0, 0, 2560)); }

struct Begins : Observer {
    std::vector<PartEvent> parts;
    std::vector<std::vector<CoreId>> cores;
    void on_part(const PartEvent& event) override {
        parts.push_back(event);
        cores.emplace_back(event.cores.begin(), event.cores.end());
    }
};

SYSTEMC_TEST("kernels of one launch run at once on cores of their own") {
    Machine machine;
    Begins begins;
    machine.chip().attach(&begins);
    const ScriptKernel first({}, one_instruction);
    const ScriptKernel second({}, [](KernelPort& port) {
        one_instruction(port);
        one_instruction(port);
    });
    const LaunchPart parts[] = {{&first, {}, 1}, {&second, {}, 1}};
    const LaunchResult result = machine.chip().launch(parts, {});
    REQUIRE(result.parts.size() == 2);
    CHECK(result.finished);
    CHECK(result.blocks == 2);
    CHECK(result.parts[0].end == 26);
    CHECK(result.parts[0].instructions == 1);
    CHECK(result.parts[1].instructions == 2);
    CHECK(result.cycles == result.parts[1].end);
    CHECK(result.parts[1].end < 2 * 26);
    CHECK(begins.cores == std::vector<std::vector<CoreId>>{{kAivZero}, {kAivOne}});
    CHECK_FALSE(begins.parts[1].behind_ended);
}

SYSTEMC_TEST("a kernel begins after those that it waits for") {
    ChipModel model = tiny_chip();
    model.launch.between = 7000;  // 7 cycles
    Machine machine(model);
    Begins begins;
    machine.chip().attach(&begins);
    const ScriptKernel kernel({}, one_instruction);
    const LaunchPart parts[] = {{&kernel, {}, 1}, {&kernel, {}, 1, {0}}, {&kernel, {}, 1}};
    const LaunchResult result = machine.chip().launch(parts, {});
    CHECK(result.parts[1].begin == 26 + 7);
    CHECK(result.parts[1].end == 26 + 7 + 26);
    CHECK(result.parts[2].end == 26);
    CHECK(result.instructions == 3);
    CHECK(begins.cores[2] == std::vector<CoreId>{kAivZero});  // the first kernel's
    CHECK(begins.parts[2].behind_ended);
}

SYSTEMC_TEST("a kernel that finds too few free cores comes after the ones that have them") {
    Machine machine;
    const ScriptKernel kernel({}, one_instruction);
    const LaunchPart parts[] = {{&kernel, {}, 2}, {&kernel, {}, 1}};  // on two AIVs
    const LaunchResult result = machine.chip().launch(parts, {});
    CHECK(result.parts[0].end == 26);
    CHECK(result.parts[1].begin == 26);
    CHECK(result.parts[1].end == 52);
}

SYSTEMC_TEST("a kernel waits for what another one of its launch stores") {
    Machine machine;
    const uint64_t word = machine.memory(64);
    const auto look = [word](KernelPort& port) {
        while (port.load_global(word, DType::kI32, ScalarPath::kPastCache, {}) != 2) port.scalar_work(10);
    };
    const auto add = [word](KernelPort& port) {
        one_instruction(port);
        port.atomic_global(word, DType::kI32, AtomicMode::kAdd, 1, {});
    };
    const ScriptKernel waits({}, look), adds({}, add);
    const LaunchPart parts[] = {{&waits, {}, 1}, {&adds, {}, 1}, {&adds, {}, 1, {1}}};
    const LaunchResult result = machine.chip().launch(parts, {});
    CHECK(result.finished);
    CHECK(result.parts[0].end > result.parts[2].begin);
}

SYSTEMC_TEST("a kernel that waits for one that cannot begin is a deadlock that names it") {
    Machine machine;
    const ScriptKernel waits({}, [](KernelPort& port) {
        Instruction wait(Opcode::kCROSS_WAIT, {});
        port.issue(wait);
    });
    const LaunchPart parts[] = {{&waits, {}, 2}, {&waits, {}, 1}};
    const LaunchResult result = machine.chip().launch(parts, {});
    CHECK_FALSE(result.finished);
    REQUIRE(result.diagnostics.size() == 1);
    CHECK(result.diagnostics[0].code == "E05");
    CHECK(result.diagnostics[0].notes.back() ==
          "kernel script has not begun: it waits for cores, or for the end of a kernel");
    CHECK_FALSE(result.parts[1].finished);
}

}  // namespace
}  // namespace ptosim
