// Cores together: blocks, cross-core flags, and the report of a deadlock. Expected cycles are
// derived from the numbers of tiny_chip().
#include <set>

#include "sim/machine/chip/machine_fixture.h"
#include "sim/machine/memory/shared_memory.h"

namespace ptosim {
namespace {

using enum Pipe;

const CoreId kFirstAic{CoreType::kAIC, 0}, kFirstAiv{CoreType::kAIV, 0}, kSecondAiv{CoreType::kAIV, 1};

SYSTEMC_TEST("blocks beyond those that fit start where one has ended, an interval apart") {
    ChipModel model = tiny_chip();
    model.launch.block_interval = 4000;  // 4 cycles
    Machine machine(model);
    LaunchOptions options;
    options.blocks = 4;  // on two AIVs
    const LaunchResult result =
        machine.run([](KernelPort& port) { port.issue(absolute(0, 0, 2560)); }, options);
    // A block: 10 + 1 to the issue, 15 until the result. The second is dispatched 4 later.
    const auto& blocks = machine.blocks();
    REQUIRE(blocks.size() == 4);
    CHECK(blocks.at(0).core == kFirstAiv);
    CHECK(blocks.at(0).end == 26);
    CHECK(blocks.at(1).core == kSecondAiv);
    CHECK(blocks.at(1).end == 30);
    CHECK(blocks.at(2).core == kFirstAiv);
    CHECK(blocks.at(2).begin == 26);
    CHECK(blocks.at(2).end == 52);
    CHECK(blocks.at(3).core == kSecondAiv);
    CHECK(blocks.at(3).begin == 30);
    CHECK(blocks.at(3).end == 56);
    CHECK(result.cycles == 56);
    CHECK(result.finished);
    CHECK(result.instructions == 4);
}

SYSTEMC_TEST("launches one after the other begin so far apart, which is no launch's own time") {
    ChipModel model = tiny_chip();
    model.launch.between = 7000;  // 7 cycles
    Machine machine(model);
    const auto script = [](KernelPort& port) { port.issue(absolute(0, 0, 2560)); };
    LaunchOptions options;
    options.blocks = 1;
    CHECK(machine.run(script, options).cycles == 26);  // as above
    CHECK(machine.chip().now() == 26);
    CHECK(machine.run(script, options).cycles == 26);
    CHECK(machine.blocks().at(0).begin == 0);  // since the begin of its launch
    CHECK(machine.blocks().at(0).end == 26);
    CHECK(machine.chip().now() == 26 + 7 + 26);
}

SYSTEMC_TEST("an observer that has enough is let go of, and others are not") {
    struct First : Observer {
        unsigned issued = 0;
        bool has_enough() const override { return issued >= 10; }
        void on_issue(const InstructionEvent&) override { ++issued; }
    } first;
    Machine machine;
    machine.chip().attach(&first);
    constexpr unsigned kInstructions = 1000;
    machine.run([](KernelPort& port) {
        for (unsigned i = 0; i < kInstructions; ++i) port.issue(absolute(0, 0, 256));
    });
    CHECK(first.issued >= 10);
    CHECK(first.issued < 300);  // the limit is checked at intervals
    CHECK(machine.aiv(kInstructions - 1).complete > 0);
}

SYSTEMC_TEST("a block of a mixed kernel is a cluster, and its cores know their place in it") {
    ChipModel model = tiny_chip();
    model.clusters = 2;
    Machine machine(model);
    std::set<std::string> log;
    const Script note = [&](KernelPort& port) {
        const BlockIdentity& id = port.identity();
        log.insert(std::string(name(id.core)) + std::to_string(port.core_index()) + ": block " +
                   std::to_string(id.block) + "/" + std::to_string(id.blocks) + " sub " +
                   std::to_string(id.subblock) + "/" + std::to_string(id.subblocks));
    };
    LaunchOptions options;  // as many blocks as fit
    machine.run_cluster(note, note, options);
    CHECK(log == std::set<std::string>{"AIC0: block 0/2 sub 0/1", "AIV0: block 0/2 sub 0/2",
                                       "AIV1: block 0/2 sub 1/2", "AIC1: block 1/2 sub 0/1",
                                       "AIV2: block 1/2 sub 0/2", "AIV3: block 1/2 sub 1/2"});
}

SYSTEMC_TEST("an AIC's signal reaches both AIVs of its cluster after the latency") {
    Machine machine;
    machine.run_cluster([](KernelPort& port) { port.issue(cross_set(kFIX, 5)); },
                        [](KernelPort& port) {
                            port.issue(cross_wait(5));
                            port.issue(absolute(0, 0, 2560));
                        });
    // Set at 11, visible at 111.
    CHECK(machine.times(kFirstAic, 0) == Times{11, 11, 11, 11});
    CHECK(machine.times(kFirstAiv, 0) == Times{11, 111, 111, 111});
    CHECK(machine.times(kSecondAiv, 0) == Times{11, 111, 111, 111});
    CHECK(machine.times(kFirstAiv, 1).issued == 112);
    CHECK(machine.first_stall("AIV00/S") == Stall{"AIV00/S", BlockReason::kCrossCore, 11, 111, 0});
}

SYSTEMC_TEST("an AIC waits for the later of its two AIVs") {
    Machine machine;
    machine.run_cluster([](KernelPort& port) { port.issue(cross_wait(5)); },
                        [](KernelPort& port) {
                            if (port.identity().subblock == 1) port.scalar_work(50);
                            port.issue(cross_set(kMTE3, 5));
                        });
    CHECK(machine.times(kFirstAiv, 0).complete == 11);
    CHECK(machine.times(kSecondAiv, 0).complete == 61);
    CHECK(machine.times(kFirstAic, 0).complete == 161);
}

SYSTEMC_TEST("a signal leaves when the pipe's earlier work has completed") {
    Machine machine;
    const uint64_t x = machine.memory(3200);
    machine.run_cluster([](KernelPort& port) { port.issue(cross_wait(5)); },
                        [&](KernelPort& port) {
                            port.issue(store(x, 0, 3200));  // 11 + 32 + 30
                            port.issue(cross_set(kMTE3, 5));
                        });
    CHECK(machine.times(kFirstAiv, 1).complete == 73);
    CHECK(machine.times(kFirstAic, 0).complete == 173);
}

SYSTEMC_TEST("each wait takes one signal of those that have arrived") {
    Machine machine;
    const auto run = [&machine](unsigned waits) {
        return machine.run_cluster(
            [](KernelPort& port) {
                port.issue(cross_set(kFIX, 5));
                port.issue(cross_set(kFIX, 5));
            },
            [waits](KernelPort& port) {
                port.scalar_work(300);  // both have arrived
                for (unsigned i = 0; i < waits; ++i) port.issue(cross_wait(5));
            });
    };
    CHECK(run(2).finished);
    CHECK(machine.times(kFirstAiv, 1).complete == 312);
    const LaunchResult three = run(3);
    CHECK_FALSE(three.finished);
    REQUIRE(three.diagnostics.size() == 1);
    CHECK(three.diagnostics[0].code == "E05");
}

SYSTEMC_TEST("a wait that comes first is released by the first signal, the next by the second") {
    Machine machine;
    const LaunchResult result = machine.run_cluster(
        [](KernelPort& port) {
            port.issue(cross_set(kFIX, 5));
            port.scalar_work(50);
            port.issue(cross_set(kFIX, 5));
        },
        [](KernelPort& port) {
            port.issue(cross_wait(5));
            port.issue(cross_wait(5));
        });
    CHECK(result.finished);
    CHECK(machine.times(kFirstAiv, 0).complete == 111);
    CHECK(machine.times(kFirstAiv, 1).complete == 162);  // 11 + 50 + 1 + 100
}

SYSTEMC_TEST("a counter of signals holds 15: the next one is lost, and told") {
    Machine machine;
    const LaunchResult result = machine.run_cluster(
        [](KernelPort& port) {
            for (unsigned i = 0; i < 16; ++i) port.issue(cross_set(kFIX, 5));
        },
        [](KernelPort&) {});
    REQUIRE(result.diagnostics.size() == 1);
    CHECK(result.diagnostics[0].code == "C02");
    CHECK(result.diagnostics[0].count == 2);    // of both AIVs
    CHECK(result.diagnostics[0].cycle == 126);  // the 16th: 11 + 15 + 100
}

// ---- deadlocks ----------------------------------------------------------------------------

SYSTEMC_TEST("the report of a deadlock names the wait that nothing will ever end") {
    Machine machine;
    const LaunchResult result =
        machine.run([](KernelPort& port) { port.issue(at_line(wait_flag(kMTE2, kV, 3), 7)); });
    CHECK_FALSE(result.finished);
    REQUIRE(result.diagnostics.size() == 1);
    const Diagnostic& d = result.diagnostics[0];
    CHECK(d.code == "E05");
    CHECK(d.core == "AIV00");
    CHECK(d.pipe == "V");
    CHECK(d.location.line == 7);
    CHECK(d.message.find("AIV00/V waits for flag MTE2->V #3 (line 7)") != std::string::npos);
}

SYSTEMC_TEST("a deadlock is explained by its root, not by what is held up behind it") {
    Machine machine;
    const LaunchResult result = machine.run([](KernelPort& port) {
        port.issue(at_line(wait_flag(kV, kMTE2, 1), 1));    // never set
        port.issue(at_line(set_flag(kMTE2, kMTE3, 0), 2));  // blocked after it
        port.issue(at_line(wait_flag(kMTE2, kMTE3, 0), 3));
    });
    REQUIRE(result.diagnostics.size() == 1);
    const Diagnostic& d = result.diagnostics[0];
    CHECK(d.pipe == "MTE2");
    CHECK(d.location.line == 1);
    std::string notes;
    for (const std::string& note : d.notes) notes += note + "\n";
    CHECK(notes.find("AIV00/MTE3 waits for flag MTE2->MTE3 #0 at script.pto:3; its set "
                     "(script.pto:2) is held up in the queue of MTE2") != std::string::npos);
}

SYSTEMC_TEST("pipes that wait for each other are told as a cycle") {
    Machine machine;
    const LaunchResult result = machine.run([](KernelPort& port) {
        port.issue(at_line(wait_flag(kV, kMTE2, 0), 1));
        port.issue(at_line(set_flag(kMTE2, kV, 0), 2));
        port.issue(at_line(wait_flag(kMTE2, kV, 0), 3));
        port.issue(at_line(set_flag(kV, kMTE2, 0), 4));
    });
    REQUIRE(result.diagnostics.size() == 1);
    const Diagnostic& d = result.diagnostics[0];
    REQUIRE(!d.notes.empty());
    CHECK(d.notes[0] ==
          "a cycle: AIV00/MTE2 (script.pto:1) -> AIV00/V (script.pto:3) -> AIV00/MTE2");
}

SYSTEMC_TEST("a core that waits for a signal nobody sends is a deadlock") {
    Machine machine;
    const LaunchResult result = machine.run_cluster(
        [](KernelPort&) {}, [](KernelPort& port) { port.issue(at_line(cross_wait(9), 4)); });
    CHECK_FALSE(result.finished);
    REQUIRE(result.diagnostics.size() == 1);
    CHECK(result.diagnostics[0].code == "E05");
    CHECK(result.diagnostics[0].pipe == "S");
    CHECK(result.diagnostics[0].message.find("cross-core flag #9") != std::string::npos);
}

SYSTEMC_TEST("a deadlock whose signal has gone elsewhere says where it is") {
    // The AIC waits for #2 of its AIVs, which wait for #1; it has set #3 instead.
    Machine machine;
    const LaunchResult result = machine.run_cluster(
        [](KernelPort& port) {
            port.issue(at_line(cross_set(kFIX, 3), 5));
            port.issue(at_line(cross_wait(2), 6));
        },
        [](KernelPort& port) {
            port.issue(at_line(cross_wait(1), 7));
            port.issue(at_line(cross_set(kMTE3, 2), 8));
        });
    REQUIRE(result.diagnostics.size() == 1);
    const Diagnostic& d = result.diagnostics[0];
    CHECK(d.core == "AIV00");
    CHECK(d.location.line == 7);
    REQUIRE(d.notes.size() > 1);
    CHECK(d.notes[1] ==
          "cross-core flag #3 is set by AIC00 at script.pto:5 and has reached AIV00 and AIV01, where it was never "
          "awaited");
}

SYSTEMC_TEST("a deadlock for want of the other AIV's signal names it") {
    Machine machine;
    const LaunchResult result =
        machine.run_cluster([](KernelPort& port) { port.issue(at_line(cross_wait(2), 6)); },
                            [](KernelPort& port) {
                                if (port.identity().subblock == 0)
                                    port.issue(at_line(cross_set(kMTE3, 2), 8));
                            });
    REQUIRE(result.diagnostics.size() == 1);
    const Diagnostic& d = result.diagnostics[0];
    CHECK(d.core == "AIC00");
    REQUIRE(!d.notes.empty());
    CHECK(d.notes[0] ==
          "cross-core flag #2 is set by AIV00 at script.pto:8, and is sent once AIV01 "
          "has set it, too");
}

// Two dies with the cores of even and of odd number.
class TwoDies : public MemorySystem {
 public:
    TwoDies(EventQueue& event_queue, const ChipModel& model, ParametersRead& read)
        : even_{event_queue, model.memory, model.clock, read},
          odd_{event_queue, model.memory, model.clock, read} {}
    Transfer start(const Requester& requester, const Cost& cost, const GlobalView& view,
                   Event& done) override {
        return die(requester.core).start(requester, cost, view, done);
    }
    void start_lines(const Requester& requester, const ThreadWork& work, Event& done) override {
        die(requester.core).start_lines(requester, work, done);
    }
    uint64_t touch_line(CoreId core, uint64_t address, bool writes) override {
        return die(core).touch_line(core, address, writes);
    }
    uint64_t pass(CoreId core, const GlobalView& view, bool writes) override {
        return die(core).pass(core, view, writes);
    }
    void keep_l2() override {}
    void restore_l2() override {}
    uint64_t behind_l2() const override { return even_.behind_l2() + odd_.behind_l2(); }
    void bypass_l2(uint64_t address, uint64_t size) override {
        even_.bypass_l2(address, size);
        odd_.bypass_l2(address, size);
    }
    Cycle start_for_peer(Cycle now, uint32_t number, const Cost& cost, const GlobalView& view) override {
        return even_.start_for_peer(now, number, cost, view);
    }
    Cycle next_end_for_peers() const override { return even_.next_end_for_peers(); }
    void end_for_peers(Cycle now, std::vector<uint32_t>& ended) override { even_.end_for_peers(now, ended); }

 private:
    SharedMemory& die(CoreId core) { return core.index % 2 == 0 ? even_ : odd_; }
    SharedMemory even_, odd_;
};

// Times at which two AIVs have loaded 9600 bytes each, if L2 gives as much as one path of 100 takes.
std::vector<Times> loads_of_two(const MakeMemory& memory) {
    ChipModel model = tiny_chip();
    model.memory.l2.read = 100 * model.clock.value();
    Machine machine(model, memory);
    const uint64_t array = machine.memory(20'480);
    LaunchOptions options;
    options.blocks = 2;
    machine.run(
        [&](KernelPort& port) {
            port.issue(load(0, array + 10'240 * port.identity().block, 9600));
        },
        options);
    return {machine.times(kFirstAiv, 0), machine.times(kSecondAiv, 0)};
}

SYSTEMC_TEST("cores of one die share its bandwidth") {
    const Times both{11, 11, 203, 223};
    CHECK(loads_of_two(one_domain) == std::vector<Times>{both, both});
}

SYSTEMC_TEST("cores of two dies share none, and are as the cores of one") {
    const Times each{11, 11, 107, 127};
    CHECK(loads_of_two([](EventQueue& queue, const ChipModel& model, ParametersRead& read) {
              return std::make_unique<TwoDies>(queue, model, read);
          }) == std::vector<Times>{each, each});
}

}  // namespace
}  // namespace ptosim
