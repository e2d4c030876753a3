// The happens-before relation on streams of a few events. Expected orders follow from the rules in timelines.h: an
// access is ordered before another if its tick is in the clock of the second's pipe, whatever their times.
#include "sim/check/timelines.h"

#include <catch2/catch.hpp>

namespace ptosim::check {
namespace {

using enum Pipe;

const CoreId kCubeCore{CoreType::kAIC, 0}, kVectorCore{CoreType::kAIV, 0};

// Feeds events of instructions that run one after the other.
class Stream {
 public:
    explicit Stream(std::vector<CoreId> cores, Arch arch = Arch::kA2A3) : cores_{std::move(cores)} {
        LaunchEvent event;
        event.cores = cores_;
        event.arch = arch;
        lines_.launch(event);
    }
    Timelines& lines() { return lines_; }

    // An instruction that reads or writes memory. Returns the stamp of its access.
    Stamp access(CoreId core, Pipe pipe) {
        run(core, pipe, Instruction(Opcode::kTABS));
        return lines_.now(core, pipe);
    }
    void barrier(CoreId core, Pipe pipe) {
        Instruction barrier(Opcode::kPIPE_BARRIER);
        barrier.attributes.destination_pipe = pipe;
        run(core, pipe == kAll ? kS : pipe, barrier);
    }
    // Returns true if the set comes after the wait for the previous set.
    bool set(CoreId core, Pipe source, Pipe destination) {
        run(core, source, Instruction(Opcode::kSET_FLAG));
        return lines_.flag_set(flag(core, source, destination)) == Timelines::SetOrder::kInTurn;
    }
    // Returns true if it ordered anything.
    bool wait(CoreId core, Pipe source, Pipe destination) {
        run(core, destination, Instruction(Opcode::kWAIT_FLAG));
        return lines_.flag_wait(flag(core, source, destination));
    }
    // Returns true if its counters have room for it under any timing.
    bool signal(CoreId from, Pipe pipe, CoreId to) {
        run(from, pipe, Instruction(Opcode::kCROSS_SET));
        FlagEvent event = flag(from, pipe, kS);
        event.cross_core = true;
        lines_.flag_set(event);
        const std::array group{from}, receivers{to};
        return lines_.signal({group, receivers, 0, 0, 0});
    }
    void wait_signal(CoreId core) {
        run(core, kS, Instruction(Opcode::kCROSS_WAIT));
        FlagEvent event = flag(core, kMTE3, kS);
        event.cross_core = true;
        lines_.flag_wait(event);
    }
    // The scalar unit accesses this address past its cache.
    void store(CoreId core, uint64_t address) {
        lines_.touch(core, true);
        lines_.release_at(core, address, false);
    }
    void add(CoreId core, uint64_t address) {
        lines_.acquire_at(core, address);
        lines_.touch(core, true);
        lines_.release_at(core, address, true);
    }
    void load(CoreId core, uint64_t address) { lines_.acquire_at(core, address); }
    bool ordered(const Stamp& earlier, const Stamp& later) {
        return lines_.ordered(earlier, later, false);
    }

 private:
    void run(CoreId core, Pipe pipe, const Instruction& instruction) {
        InstructionEvent event;
        event.core = core;
        event.pipe = pipe;
        event.sequence = ++sequence_;
        event.instruction = &instruction;
        lines_.issue(event);
        lines_.start(event);
    }
    FlagEvent flag(CoreId core, Pipe source, Pipe destination) const {
        FlagEvent event;
        event.core = event.from = core;
        event.source = source;
        event.destination = destination;
        event.sequence = sequence_;
        return event;
    }

    std::vector<CoreId> cores_;
    Timelines lines_;
    uint64_t sequence_ = 0;
};

TEST_CASE("accesses of two pipes are ordered by a set and its wait, and by nothing else") {
    Stream stream({kVectorCore});
    const Stamp before = stream.access(kVectorCore, kMTE2);
    const Stamp too_early = stream.access(kVectorCore, kV);
    CHECK_FALSE(stream.ordered(before, too_early));
    stream.set(kVectorCore, kMTE2, kV);
    const Stamp behind_set = stream.access(kVectorCore, kMTE2);
    CHECK(stream.wait(kVectorCore, kMTE2, kV));
    const Stamp after = stream.access(kVectorCore, kV);
    CHECK(stream.ordered(before, after));
    CHECK_FALSE(stream.ordered(behind_set, after));
}

TEST_CASE("a load past the cache acquires what was released at its address") {
    const std::array cores{CoreId{CoreType::kAIV, 0}, CoreId{CoreType::kAIV, 1},
                           CoreId{CoreType::kAIV, 2}};
    Stream stream({cores.begin(), cores.end()});
    const auto done = [&](size_t core) {
        const Stamp stamp = stream.access(cores[core], kMTE3);
        stream.barrier(cores[core], kAll);
        return stamp;
    };
    const auto ordered = [&](const Stamp& earlier) {
        return stream.ordered(earlier, stream.access(cores[2], kMTE2));
    };
    const Stamp first = done(0);
    SECTION("no other word will do") {
        stream.store(cores[0], 4096);
        stream.load(cores[2], 4100);
        CHECK_FALSE(ordered(first));
        stream.load(cores[2], 4096);
        CHECK(ordered(first));
        CHECK_FALSE(ordered(done(0)));
    }
    SECTION("what the scalar unit has not waited for is not released") {
        const Stamp under_way = stream.access(cores[0], kMTE3);
        stream.store(cores[0], 4096);
        stream.load(cores[2], 4096);
        CHECK(ordered(first));
        CHECK_FALSE(ordered(under_way));
    }
    SECTION("an atomic operation releases what was released before it, a store does not") {
        const bool atomic = GENERATE(false, true);
        const auto write = [&](CoreId core) {
            atomic ? stream.add(core, 4096) : stream.store(core, 4096);
        };
        write(cores[0]);
        const Stamp second = done(1);
        write(cores[1]);
        stream.load(cores[2], 4096);
        CHECK(ordered(first) == atomic);
        CHECK(ordered(second));
    }
    SECTION("of however many words") {
        for (uint64_t word = 0; word < 10000; ++word) stream.store(cores[1], 4096 + 4 * word);
        stream.store(cores[0], 1 << 20);
        stream.load(cores[2], 1 << 20);
        CHECK(ordered(first));
    }
}

TEST_CASE("order goes on from pipe to pipe") {
    Stream stream({kVectorCore});
    const Stamp load = stream.access(kVectorCore, kMTE2);
    stream.set(kVectorCore, kMTE2, kV);
    stream.wait(kVectorCore, kMTE2, kV);
    stream.set(kVectorCore, kV, kMTE3);
    stream.wait(kVectorCore, kV, kMTE3);
    CHECK(stream.ordered(load, stream.access(kVectorCore, kMTE3)));
    CHECK_FALSE(stream.ordered(load, stream.access(kVectorCore, kS)));
}

TEST_CASE("a wait that orders nothing new is told as such") {
    Stream stream({kVectorCore});
    stream.access(kVectorCore, kMTE2);
    stream.set(kVectorCore, kMTE2, kV);
    CHECK(stream.wait(kVectorCore, kMTE2, kV));
    stream.set(kVectorCore, kMTE2, kV);  // MTE2 has done nothing since
    CHECK_FALSE(stream.wait(kVectorCore, kMTE2, kV));
}

TEST_CASE("a second set is in turn only if its pipe is ordered behind the wait before it") {
    Stream stream({kVectorCore});
    CHECK(stream.set(kVectorCore, kMTE2, kV));
    stream.wait(kVectorCore, kMTE2, kV);
    CHECK_FALSE(stream.set(kVectorCore, kMTE2, kV));  // it might come before that wait
    stream.wait(kVectorCore, kMTE2, kV);
    stream.set(kVectorCore, kV, kMTE2);
    stream.wait(kVectorCore, kV, kMTE2);
    CHECK(stream.set(kVectorCore, kMTE2, kV));
}

TEST_CASE("the vector pipe of an a2a3 does not order its own instructions, a barrier does") {
    Stream stream({kVectorCore}, Arch::kA2A3);
    const Stamp first = stream.access(kVectorCore, kV);
    CHECK_FALSE(stream.ordered(first, stream.access(kVectorCore, kV)));
    stream.barrier(kVectorCore, kV);
    CHECK(stream.ordered(first, stream.access(kVectorCore, kV)));
    Stream a5({kVectorCore}, Arch::kA5);
    const Stamp earlier = a5.access(kVectorCore, kV);
    CHECK(a5.ordered(earlier, a5.access(kVectorCore, kV)));
}

TEST_CASE("a barrier of all pipes orders what is issued after it behind everything before") {
    Stream stream({kVectorCore});
    const Stamp load = stream.access(kVectorCore, kMTE2), compute = stream.access(kVectorCore, kV);
    stream.barrier(kVectorCore, kAll);
    const Stamp after = stream.access(kVectorCore, kMTE3);
    CHECK(stream.ordered(load, after));
    CHECK(stream.ordered(compute, after));
}

TEST_CASE("a signal orders what its core did before it before what the other does after its wait") {
    Stream stream({kCubeCore, kVectorCore});
    const Stamp made = stream.access(kVectorCore, kMTE3);
    CHECK_FALSE(stream.ordered(made, stream.access(kCubeCore, kMTE2)));
    CHECK(stream.signal(kVectorCore, kMTE3, kCubeCore));
    const Stamp behind = stream.access(kVectorCore, kMTE3);
    stream.wait_signal(kCubeCore);
    const Stamp used = stream.access(kCubeCore, kMTE2);
    CHECK(stream.ordered(made, used));
    CHECK_FALSE(stream.ordered(behind, used));
}

TEST_CASE("a counter of signals has room for 15 that nobody has waited for") {
    Stream stream({kCubeCore, kVectorCore});
    for (unsigned i = 0; i < Timelines::kSignals; ++i)
        CHECK(stream.signal(kVectorCore, kMTE3, kCubeCore));
    CHECK_FALSE(stream.signal(kVectorCore, kMTE3, kCubeCore));
}

TEST_CASE("a task is behind what tasks that have ended had waited for") {
    Stream stream({kCubeCore, kVectorCore});
    stream.lines().task_begin(kVectorCore);
    const Stamp stored = stream.access(kVectorCore, kMTE3);
    const Stamp late = stream.access(kVectorCore, kV);
    stream.set(kVectorCore, kMTE3, kS);
    stream.wait(kVectorCore, kMTE3, kS);
    stream.lines().task_end(kVectorCore);
    CHECK_FALSE(stream.lines().ordered(stored, stream.access(kCubeCore, kMTE2), true));
    stream.lines().task_begin(kCubeCore);
    const Stamp load = stream.access(kCubeCore, kMTE2);
    CHECK(stream.lines().ordered(stored, load, true));
    CHECK_FALSE(stream.lines().ordered(late, load, true));  // V was left running
    // In the other direction nothing has ended.
    CHECK_FALSE(stream.lines().ordered(load, stream.access(kVectorCore, kMTE3), true));
}

// ---- the clocks themselves ----------------------------------------------------------------

TEST_CASE(
    "a clock that joins another has the later tick of each pipe, and says if that changed it") {
    Clock a, b;
    a[kMTE2] = 5;
    b[kMTE2] = 3;
    b[kV] = 2;
    CHECK(a.join(b));  // of V
    CHECK(a[kMTE2] == 5);
    CHECK(a[kV] == 2);
    CHECK_FALSE(a.join(b));
}

TEST_CASE("ticks of other cores are shared while those of one clock cover those of the other") {
    const auto less = std::make_shared<const RemoteTicks>(RemoteTicks{0, {1, 2, 3}});
    const auto more = std::make_shared<const RemoteTicks>(RemoteTicks{0, {1, 4, 3}});
    const auto other = std::make_shared<const RemoteTicks>(RemoteTicks{0, {9, 0, 0}});
    Clock clock;
    CHECK(clock.join_remote(less));
    CHECK(clock.join_remote(more));
    CHECK(clock.remote == more);
    CHECK_FALSE(clock.join_remote(less));
    CHECK(clock.remote == more);
    CHECK(clock.join_remote(other));  // neither covers the other
    CHECK(clock.remote->ticks == std::vector<Tick>{9, 4, 3});
}

TEST_CASE("of two versions of one scalar unit the larger covers the smaller") {
    const RemoteTicks first{1, {0, 0}}, second{2, {0, 0}};
    CHECK(second.covers(first));
    CHECK_FALSE(first.covers(second));
}

}  // namespace
}  // namespace ptosim::check
