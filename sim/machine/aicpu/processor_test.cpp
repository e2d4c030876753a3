// Tests processors on the simulated clock. Expected cycles are derived from the numbers of tiny_chip() and from numbers
// that a test sets.
#include "sim/machine/aicpu/processor.h"

#include <array>
#include <initializer_list>
#include <vector>

#include "sim/machine/chip/machine_fixture.h"

namespace ptosim {
namespace {

ChipModel with_aicpu() {
    ChipModel model = tiny_chip();
    model.aicpu.block = 4000;
    model.aicpu.loop_block = 1000;
    model.aicpu.register_load = 100 * 1000;
    model.aicpu.register_store = 5000;
    model.aicpu.spin = 10 * 1000;
    model.aicpu.cache_line = 7000;
    return model;
}

struct Aicpu {
    explicit Aicpu(ChipModel model = with_aicpu()) : machine{std::move(model)} {
        // SystemC's processes refer to their events until the process ends, so these are never deleted.
        for (unsigned i = 0; i < processors.size(); ++i)
            processors[i] = new Processor(machine.chip().event_queue(), machine.chip().model(),
                                          machine.chip().parameters_read(), i);
    }
    Cycle now() { return machine.chip().now(); }
    // The processors work without a kernel.
    void run() { machine.chip().event_queue().run(); }
    Machine machine;
    std::array<Processor*, 2> processors{};
};

// No block follows itself.
void execute(unsigned blocks) {
    for (unsigned i = 0; i < blocks; ++i) Processor::current()->execute_block(i % 2 + 1);
}

SYSTEMC_TEST("a processor's time is that of its blocks, register accesses, lines and spins") {
    Aicpu aicpu;
    uint32_t cell = 0;
    Processor& p = *aicpu.processors[0];
    p.start([&] {
        execute(25);                 // 100
        p.store_register(&cell, 7);  // 5
        CHECK(aicpu.now() == 105);
        CHECK(p.load_register(&cell) == 7);  // 100
        p.use_cache(65);                     // two lines: 14
        p.spin();                            // 10
        CHECK(p.time() == 229 * 1000);
    });
    CHECK(p.working());
    aicpu.run();
    CHECK(aicpu.now() == 229);
    CHECK_FALSE(p.working());
    CHECK(p.counts() == Processor::Counts{25, 1, 1, 2, 1});
    CHECK(Processor::current() == nullptr);
}

SYSTEMC_TEST("a block that follows itself is a loop's body, with a price of its own") {
    Aicpu aicpu;
    Processor& p = *aicpu.processors[0];
    std::vector<Cycle> ended;
    p.start([&] {
        const auto at = [&](std::initializer_list<uintptr_t> blocks) {
            for (const uintptr_t block : blocks) p.execute_block(block);
            ended.push_back(p.time() / 1000);
        };
        at({7});           // 4: its first iteration comes from elsewhere
        at({7, 7, 7});     // 3
        at({9, 7, 9, 7});  // 16: two alternating blocks are not one
        at({7});           // 1
    });
    aicpu.run();
    CHECK(ended == std::vector<Cycle>{4, 7, 23, 24});
    CHECK(p.counts().blocks == 9);
    // It does not follow the processor's block of the previous work.
    p.start([&] { p.execute_block(7); });
    aicpu.run();
    CHECK(aicpu.now() == 24 + 4);
}

SYSTEMC_TEST("a processor that computes for long lets others act") {
    Aicpu aicpu;
    uint32_t cell = 0;
    uint32_t rounds = 0;
    aicpu.processors[0]->start([&] {
        execute(1000);  // 4000 cycles
        cell = 1;
    });
    aicpu.processors[1]->start([&] {
        while (*const_cast<volatile uint32_t*>(&cell) == 0) {
            Processor::current()->spin();
            ++rounds;
        }
    });
    aicpu.run();
    // The first writes when it is less than kMostAhead (185 cycles) ahead of the clock.
    CHECK(rounds >= (4000 - 185) / 10);
    CHECK(rounds <= 4000 / 10);
}

SYSTEMC_TEST("a loop without a call is preempted by its blocks") {
    Aicpu aicpu;
    volatile uint32_t cell = 0;
    aicpu.processors[0]->start([&] {
        for (uintptr_t round = 1; cell == 0; ++round) Processor::current()->execute_block(round);
    });
    aicpu.processors[1]->start([&] {
        execute(100);
        Processor::current()->store_register(&cell, 1);
    });
    aicpu.run();
    CHECK(aicpu.now() >= 405);
    CHECK(aicpu.now() <= 405 + 2 * 185);
}

SYSTEMC_TEST("the same work takes the same cycles again, and a processor works again") {
    Aicpu aicpu;
    std::array<Cycle, 2> took{};
    for (Cycle& cycles : took) {
        const Cycle begin = aicpu.now();
        uint32_t cell = 0;
        for (Processor* p : aicpu.processors)
            p->start([&] {
                execute(33);
                Processor::current()->store_register(&cell, 1);
            });
        aicpu.run();
        cycles = aicpu.now() - begin;
    }
    CHECK(took[0] == 33 * 4 + 5);
    CHECK(took[1] == took[0]);
}

SYSTEMC_TEST("a core that waits for a processor's store is resumed, and its kernel's time passes") {
    Aicpu aicpu;
    EventQueue& queue = aicpu.machine.chip().event_queue();
    Event stored(queue);
    ProcessWait wait(queue);
    aicpu.processors[0]->start([&] {
        execute(50);
        Processor::current()->spend();
        stored.notify(140);
    });
    Cycle seen = 0;
    const LaunchResult result = aicpu.machine.run([&](KernelPort& port) {
        port.cycle();
        wait.wait_for(stored);
        port.scalar_work(1);
        seen = port.cycle();
        port.issue(absolute(0, 0, 2560));
    });
    CHECK(seen == 200 + 140 + 1);
    CHECK(result.finished);
    CHECK(result.cycles == 341 + 1 + 15);
}

SYSTEMC_TEST("a wait with a limit ends at the first of both") {
    Aicpu aicpu;
    EventQueue& queue = aicpu.machine.chip().event_queue();
    Event event(queue);
    ProcessWait wait(queue);
    std::vector<Cycle> ended;
    aicpu.machine.run([&](KernelPort& port) {
        const Cycle begin = port.cycle();
        wait.wait_for(event, 30);
        ended.push_back(aicpu.now() - begin);
        event.notify(5);
        wait.wait_for(event, 30);
        ended.push_back(aicpu.now() - begin);
        wait.wait_for(50);  // neither of them wakes it again
        ended.push_back(aicpu.now() - begin);
        port.scalar_work(1);
        port.cycle();
    });
    CHECK(ended == std::vector<Cycle>{30, 35, 85});
}

}  // namespace
}  // namespace ptosim
