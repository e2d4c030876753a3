// Cycles calculated by hand from the rules of docs/models.md, for the bytes that a requester may have outstanding.
#include "sim/machine/memory/shared_memory.h"

#include <memory>
#include <vector>

#include "sim/machine/event/systemc_test.h"

namespace ptosim {
namespace {

constexpr uint64_t kClock = 1'000'000'000;
constexpr uint64_t kPlenty = 10'000 * kClock;  // bytes per second: 10000 per cycle
constexpr uint64_t kRow = 1024;  // bytes: two windows of L2
constexpr Requester kLoads{{CoreType::kAIV, 0}, Pipe::kMTE2};

MemoryDomain domain() {
    MemoryDomain domain;
    domain.l2.read = domain.l2.write = domain.hbm.rate = kPlenty;
    domain.hbm.bypass_l2 = 1000;
    domain.outstanding = kRow;
    return domain;
}

GlobalView row(uint64_t address) {
    GlobalView view;
    view.address = address;
    view.dtype = DType::kI8;
    view.shape = {1, 1, 1, 1, kRow};
    view.stride = {kRow, kRow, kRow, kRow, 1};
    return view;
}

// A path that takes a row per cycle, which arrives 100 cycles later.
Cost read_of_row() {
    Cost cost;
    cost.shared = Cost::Shared::kRead;
    cost.bytes = kRow;
    cost.rate = 1000 * kRow;
    cost.latency = 100;
    cost.rows = 1;
    return cost;
}

// Records the time at which each of several events fired.
class Ends {
 public:
    Ends(EventQueue& queue, size_t count) : queue_{queue} {
        for (size_t i = 0; i < count; ++i) ends_.push_back(std::make_unique<End>(queue));
    }
    Event& operator[](size_t i) { return ends_[i]->event; }
    // Runs until nothing is left to do.
    std::vector<Cycle> run() {
        queue_.run();
        std::vector<Cycle> cycles;
        for (const auto& end : ends_) cycles.push_back(end->cycle);
        return cycles;
    }

 private:
    struct End {
        explicit End(EventQueue& queue) : queue{queue}, event{queue, actor} {}
        void act() { cycle = queue.now(); }
        EventQueue& queue;
        Cycle cycle = 0;
        Actor actor = Actor::of<&End::act>(this);
        Event event;
    };
    EventQueue& queue_;
    std::vector<std::unique_ptr<End>> ends_;
};

SYSTEMC_TEST("bytes are outstanding by requester, whichever event it waits for") {
    EventQueue queue("queue");
    const MemoryDomain parameters = domain();
    ParametersRead read;
    SharedMemory memory(queue, parameters, kClock, read);
    Ends ends(queue, 4);
    memory.start(kLoads, read_of_row(), row(0), ends[0]);
    CHECK(ends.run() == std::vector<Cycle>{1, 0, 0, 0});
    // Another read of the pipe waits until the bytes of the first have arrived: 100 cycles. Another core, and another
    // pipe of the same core, have none outstanding.
    memory.start(kLoads, read_of_row(), row(10 * kRow), ends[1]);
    memory.start({{CoreType::kAIV, 1}, Pipe::kMTE2}, read_of_row(), row(20 * kRow), ends[2]);
    memory.start({{CoreType::kAIV, 0}, Pipe::kV}, read_of_row(), row(30 * kRow), ends[3]);
    CHECK(ends.run() == std::vector<Cycle>{1, 101, 2, 2});
}

SYSTEMC_TEST("an AIC and an AIV of one index are two requesters") {
    EventQueue queue("queue");
    const MemoryDomain parameters = domain();
    ParametersRead read;
    SharedMemory memory(queue, parameters, kClock, read);
    Ends ends(queue, 2);
    memory.start(kLoads, read_of_row(), row(0), ends[0]);
    CHECK(ends.run() == std::vector<Cycle>{1, 0});
    memory.start({{CoreType::kAIC, 0}, Pipe::kMTE2}, read_of_row(), row(10 * kRow), ends[1]);
    CHECK(ends.run() == std::vector<Cycle>{1, 2});
}

SYSTEMC_TEST("domains share no bandwidth") {
    EventQueue queue("queue");
    MemoryDomain parameters = domain();
    parameters.l2.read = kRow / 2 * kClock;
    ParametersRead read;
    SharedMemory near(queue, parameters, kClock, read), far(queue, parameters, kClock, read);
    Ends ends(queue, 3);
    // A row alone takes two cycles, two rows take four.
    near.start(kLoads, read_of_row(), row(0), ends[0]);
    far.start({{CoreType::kAIV, 1}, Pipe::kMTE2}, read_of_row(), row(0), ends[1]);
    far.start({{CoreType::kAIV, 2}, Pipe::kMTE2}, read_of_row(), row(10 * kRow), ends[2]);
    CHECK(ends.run() == std::vector<Cycle>{2, 4, 4});
}

SYSTEMC_TEST("bytes that L2 lacks arrive at a core at their own rate") {
    EventQueue queue("queue");
    MemoryDomain parameters = domain();
    parameters.l2.bytes = 1 << 20;
    ParametersRead read;
    SharedMemory memory(queue, parameters, kClock, read);
    Ends ends(queue, 2);
    Cost cost = read_of_row();
    cost.far_rate = 4000;  // 4 bytes a cycle
    CHECK(memory.start(kLoads, cost, row(0), ends[0]).least == kRow / 4);
    ends.run();
    CHECK(memory.start(kLoads, cost, row(0), ends[1]).least == 0);  // now L2 holds it
    ends.run();
}

SYSTEMC_TEST("a view with the hint leaves nothing in L2, and the next one without it does") {
    EventQueue queue("queue");
    MemoryDomain parameters = domain();
    parameters.l2.bytes = 1 << 20;
    ParametersRead read;
    SharedMemory memory(queue, parameters, kClock, read);
    Ends ends(queue, 4);
    GlobalView hinted = row(0);
    hinted.past_l2 = true;
    const GlobalView views[] = {hinted, hinted, row(0), row(0)};
    std::vector<uint32_t> misses;
    for (size_t i = 0; i < 4; ++i) {
        misses.push_back(memory.start(kLoads, read_of_row(), views[i], ends[i]).miss_bytes);
        ends.run();
    }
    CHECK(misses == std::vector<uint32_t>{kRow, kRow, kRow, 0});
}

SYSTEMC_TEST("a transfer of another chip shares bandwidth with the cores, and goes on without them") {
    EventQueue queue("queue");
    MemoryDomain parameters = domain();
    parameters.l2.read = kRow / 2 * kClock;
    parameters.l2.bytes = 1 << 20;
    parameters.hbm.latency = 5000;
    ParametersRead read;
    SharedMemory memory(queue, parameters, kClock, read);
    Ends ends(queue, 2);
    // A row alone takes two cycles, two rows take four. A row that L2 does not hold comes five cycles later.
    CHECK(memory.start_for_peer(0, 7, read_of_row(), row(10 * kRow)) == 5);
    memory.start(kLoads, read_of_row(), row(0), ends[0]);
    CHECK(ends.run() == std::vector<Cycle>{4, 0});
    CHECK(memory.next_end_for_peers() == 4);
    std::vector<uint32_t> ended;
    memory.end_for_peers(4, ended);
    CHECK(ended == std::vector<uint32_t>{7});
    CHECK(memory.next_end_for_peers() == UINT64_MAX);
    // Between launches no event of the chip is due. A transfer without bytes ends at once.
    CHECK(memory.start_for_peer(100, 8, read_of_row(), row(10 * kRow)) == 0);
    CHECK(ends.run() == std::vector<Cycle>{4, 0});
    CHECK(queue.now() == 4);
    CHECK(memory.next_end_for_peers() == 102);
    Cost nothing = read_of_row();
    nothing.bytes = 0;
    memory.start_for_peer(101, 9, nothing, row(10 * kRow));
    CHECK(memory.next_end_for_peers() == 101);
    memory.end_for_peers(102, ended);
    CHECK(ended == std::vector<uint32_t>{7, 9, 8});
}

}  // namespace
}  // namespace ptosim
