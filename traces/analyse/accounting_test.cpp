#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "sim/files/json.h"
#include "traces/record/test_events.h"
#include "traces/traces.h"

using namespace ptosim;
using namespace ptosim::test;

namespace {

// Plays a tape to both observers. Whatever a test expects, it expects of both.
std::vector<Accounting> both(const Tape& tape) {
    Recorder recorder;
    Summary summary;
    tape.play(recorder);
    tape.play(summary);
    return {account(recorder.recording()), summary.accounting()};
}

const PipeAccount& pipe(const Accounting& accounting, CoreId core, Pipe pipe) {
    for (const CoreAccount& account : accounting.cores)
        if (account.core == core) return account.pipes[static_cast<size_t>(pipe)];
    FAIL("no such core");
    return accounting.cores.front().pipes[0];
}

Cycle waited(const PipeAccount& account, BlockReason reason) {
    return account.waits[static_cast<size_t>(reason)];
}

void require_complete(const Accounting& accounting) {
    for (const CoreAccount& core : accounting.cores) {
        for (const PipeAccount& account : core.pipes) {
            REQUIRE(account.busy + account.wait() + account.idle == accounting.duration());
            Cycle sites = 0;
            for (const WaitSite& site : account.sites) sites += site.cycles;
            REQUIRE(sites == account.wait());
        }
        REQUIRE(core.active <= accounting.duration());
    }
}

void require_same(const Accounting& a, const Accounting& b) {
    REQUIRE(a.begin == b.begin);
    REQUIRE(a.end == b.end);
    REQUIRE(a.ended_early == b.ended_early);
    REQUIRE(a.cores.size() == b.cores.size());
    // The text holds every number of the account, sites included, and the JSON the rest.
    REQUIRE(dump_json(result_json(a)) == dump_json(result_json(b)));
    REQUIRE(summary_text(a) == summary_text(b));
}

}  // namespace

// Expected values: counted by hand from the picture in test_events.h.
TEST_CASE("totals of a small run are those counted by hand") {
    for (const Accounting& a : both(small_run())) {
        REQUIRE(a.duration() == 100);
        REQUIRE(a.instructions() == 5);
        REQUIRE_FALSE(a.ended_early);
        REQUIRE(a.cores.size() == 1);

        const PipeAccount& mte2 = pipe(a, kAiv0, Pipe::kMTE2);
        CHECK(mte2.busy == 50);  // 102..152; the latency to 160 is no occupancy
        CHECK(mte2.wait() == 0);
        CHECK(mte2.idle == 50);
        CHECK(mte2.instructions == 2);

        const PipeAccount& v = pipe(a, kAiv0, Pipe::kV);
        CHECK(v.busy == 20);                           // 160..180
        CHECK(waited(v, BlockReason::kFlag) == 54);    // 106..160
        CHECK(waited(v, BlockReason::kBarrier) == 5);  // 180..185
        CHECK(v.idle == 21);
        CHECK(v.instructions == 3);
        REQUIRE(v.sites.size() == 2);
        CHECK(v.sites[0].cycles == 54);
        CHECK(v.sites[0].count == 1);
        CHECK(v.sites[0].waiter == "add.pto:12");
        CHECK(v.sites[0].release == "add.pto:11");

        const PipeAccount& s = pipe(a, kAiv0, Pipe::kS);
        CHECK(s.busy == 12);                          // 100..112
        CHECK(waited(s, BlockReason::kDrain) == 73);  // 112..185
        CHECK(s.idle == 15);                          // 185..200

        CHECK(pipe(a, kAiv0, Pipe::kMTE3).idle == 100);
        CHECK(a.cores[0].active == 70);  // 102..152 and 160..180
        CHECK(a.cores[0].finished == 185);
        CHECK(a.cores[0].blocks == 1);
        require_complete(a);
    }
}

TEST_CASE("a run that ended early is accounted up to its end, and what is open is marked") {
    for (const bool launch_ends : {true, false})
        for (const Accounting& a : both(deadlock_run(launch_ends))) {
            CHECK(a.ended_early);
            REQUIRE(a.duration() == 500);
            CHECK(a.diagnostics == 1);
            require_complete(a);
            const PipeAccount& v = pipe(a, kAiv0, Pipe::kV);
            CHECK(waited(v, BlockReason::kFlag) == 388);  // 112..500
            REQUIRE(v.sites.size() == 1);
            CHECK(v.sites[0].open);
            CHECK(v.sites[0].release.empty());
            const PipeAccount& s = pipe(a, kAiv0, Pipe::kS);
            CHECK(waited(s, BlockReason::kCrossCore) == 90);  // 20..110
            CHECK(waited(s, BlockReason::kDrain) == 382);     // 118..500
            CHECK(s.busy == 28);                              // 0..20 and 110..118
            CHECK(pipe(a, kAiv0, Pipe::kMTE2).busy == 380);   // 120..500: cut off
            CHECK(a.instructions() == 2);
            CHECK(a.cores[1].unfinished == 3);
            CHECK(a.cores[1].active == 380);
            CHECK_FALSE(pipe(a, kAiv1, Pipe::kS).sites[0].open);
            CHECK(pipe(a, kAiv1, Pipe::kS).sites[0].release == "add.pto:21");
        }
}

TEST_CASE("a recorder without events has an empty account") {
    for (const Accounting& a : both(Tape{})) {
        CHECK(a.duration() == 0);
        CHECK(a.cores.empty());
        CHECK(a.instructions() == 0);
        CHECK_FALSE(a.ended_early);
        CHECK(summary_text(a).find("No instruction ran.") != std::string::npos);
    }
}

TEST_CASE("waiting inside an instruction that orders is waiting, not work") {
    // A machine may start the wait_flag first and block then.
    Tape tape;
    const Instruction wait = flag_instruction(Opcode::kWAIT_FLAG, Pipe::kMTE2, Pipe::kV, 0, 12);
    tape.launch(0, 100, {kAiv0});
    tape.instruction(kAiv0, Pipe::kV, 0, wait, 5, 10, 41, 41);
    tape.wait(kAiv0, Pipe::kV, BlockReason::kFlag, 0, &wait, 10, 40);
    for (const Accounting& a : both(tape)) {
        CHECK(waited(pipe(a, kAiv0, Pipe::kV), BlockReason::kFlag) == 30);
        CHECK(pipe(a, kAiv0, Pipe::kV).busy == 1);
        require_complete(a);
    }
}

TEST_CASE("time between two launches is idle") {
    Tape tape;
    tape.launch(0, 100, {kAiv0}).launch(150, 300, {kAiv0});
    tape.run(kAiv0, 0, 0, 100).run(kAiv0, 0, 150, 300);
    for (const Accounting& a : both(tape)) {
        CHECK(a.launches == 2);
        CHECK(a.duration() == 300);
        CHECK(pipe(a, kAiv0, Pipe::kS).busy == 250);
        CHECK(pipe(a, kAiv0, Pipe::kS).idle == 50);
        CHECK_FALSE(a.ended_early);
    }
}

namespace {

// A random run, and its totals counted cycle by cycle: work before waits before sync
// instructions, idle where there is nothing; S works where a block runs and it does not wait.
struct RandomRun {
    Tape tape;
    Cycle end = 0;
    // 'w'ork, 's'ync, or 'f'lag, 'b'arrier or 'q'ueue wait
    std::map<Pipe, std::vector<char>> cycles;

    explicit RandomRun(unsigned seed, unsigned rounds) {
        std::mt19937 random{seed};
        const auto upto = [&random](unsigned n) { return random() % n; };
        uint64_t sequence = 0;
        std::map<Pipe, Cycle> free;
        std::vector<std::function<void()>> later;
        for (unsigned i = 0; i < rounds; ++i) {
            const Pipe pipe = std::array{Pipe::kMTE2, Pipe::kV, Pipe::kMTE3}[upto(3)];
            Cycle now = free[pipe] + upto(5);
            if (upto(3) == 0) {
                const Instruction what =
                    flag_instruction(upto(2) ? Opcode::kWAIT_FLAG : Opcode::kPIPE_BARRIER, Pipe::kS,
                                     pipe, static_cast<uint8_t>(upto(4)), 1 + upto(50));
                const bool flag = what.opcode == Opcode::kWAIT_FLAG;
                const Cycle until = now + upto(40);
                tape.wait(kAiv0, pipe, flag ? BlockReason::kFlag : BlockReason::kBarrier, sequence,
                          &what, now, until);
                paint(pipe, now, until, flag ? 'f' : 'b');
                const Cycle busy = upto(2);
                tape.instruction(kAiv0, pipe, sequence++, what, now, until, until + busy,
                                 until + busy);
                paint(pipe, until, until + busy, 's');
                free[pipe] = until + busy;
            } else {
                const Cycle until = now + upto(20);
                tape.instruction(kAiv0, pipe, sequence++, tile_instruction(Opcode::kTADD, 5), now,
                                 now, until, until + upto(30));
                paint(pipe, now, until, 'w');
                free[pipe] = until;
            }
            end = std::max(end, free[pipe] + 40);
            if (upto(2) == 0) stall(free[Pipe::kS] + upto(30), upto(25), free[Pipe::kS]);
        }
        end = std::max(end, free[Pipe::kS]);
        tape.launch(0, end, {kAiv0});
        // The line of S: blocks with gaps between them, the last of which does not end before the
        // launch.
        std::vector<char>& line = cycles[Pipe::kS];
        line.resize(end, ' ');
        for (Cycle begin = upto(50); begin < end;) {
            const Cycle until = upto(3) == 0 ? end : std::min(end, begin + upto(4000));
            tape.run(kAiv0, 0, begin, until);
            for (Cycle c = begin; c < until; ++c)
                if (line[c] == ' ') line[c] = 'r';
            begin = until + 1 + upto(20);
        }
    }
    // S waits for room in the queue of V.
    void stall(Cycle begin, Cycle cycles_long, Cycle& free) {
        static const Instruction kWhat = tile_instruction(Opcode::kTADD, 7);
        tape.wait(kAiv0, Pipe::kS, BlockReason::kQueueFull, 0, &kWhat, begin, begin + cycles_long);
        paint(Pipe::kS, begin, begin + cycles_long, 'q');
        free = begin + cycles_long;
    }
    void paint(Pipe pipe, Cycle begin, Cycle until, char what) {
        std::vector<char>& line = cycles[pipe];
        if (line.size() < until) line.resize(until, ' ');
        for (Cycle c = begin; c < until; ++c) line[c] = what;
    }
};

}  // namespace

TEST_CASE("both observers agree with a count cycle by cycle") {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        // The last ones have more intervals than are kept before counting.
        const RandomRun run(seed, seed < 5 ? 60 : 6000);
        const auto accounts = both(run.tape);
        require_same(accounts[0], accounts[1]);
        for (const Accounting& a : accounts) {
            REQUIRE(a.duration() == run.end);
            require_complete(a);
            std::vector<bool> active(run.end, false);
            for (const auto& [p, line] : run.cycles) {
                const auto count = [&line = line](char what) {
                    return static_cast<Cycle>(std::count(line.begin(), line.end(), what));
                };
                const PipeAccount& account = pipe(a, kAiv0, p);
                REQUIRE(account.busy == count('w') + count('s') + count('r'));
                REQUIRE(waited(account, BlockReason::kQueueFull) == count('q'));
                REQUIRE(waited(account, BlockReason::kFlag) == count('f'));
                REQUIRE(waited(account, BlockReason::kBarrier) == count('b'));
                for (Cycle c = 0; c < line.size(); ++c)
                    if (line[c] == 'w' || line[c] == 's') active[c] = true;
            }
            REQUIRE(a.cores[0].active ==
                    static_cast<Cycle>(std::count(active.begin(), active.end(), true)));
        }
    }
}

TEST_CASE("both observers agree on the hand-made runs") {
    for (const Tape& tape : {small_run(), deadlock_run(true), deadlock_run(false)}) {
        const auto accounts = both(tape);
        require_same(accounts[0], accounts[1]);
    }
}
