#include <catch2/catch.hpp>

#include "traces/analyse/labels.h"
#include "traces/record/test_events.h"
#include "traces/traces.h"

using namespace ptosim;
using namespace ptosim::test;

TEST_CASE("an instruction is recorded with its times, place and operands") {
    Recorder recorder;
    small_run().play(recorder);
    const Recording& r = recorder.recording();
    REQUIRE(r.instructions.size() == 5);
    const InstructionRecord& load = r.instructions[0];
    CHECK(load.issued == 102);
    CHECK(load.started == 102);
    CHECK(load.pipe_free == 152);
    CHECK(load.completed == 160);
    CHECK(load.has(InstructionRecord::kCompleted));
    CHECK(r.sources.text(load.location) == "add.pto:10");
    CHECK(r.sources.line(load.location) == "line 10");
    CHECK(operands_text(r, load) == "UB f32 16x64, GM f32 16x64");
    CHECK(moved_bytes(r, load) == 16 * 64 * 4);
    CHECK(operands_text(r, r.instructions[1]) == "MTE2->V #0");
    CHECK(operands_text(r, r.instructions[4]) == "V");
    CHECK(moved_bytes(r, r.instructions[3]) == 0);
    REQUIRE(r.runs.size() == 1);
    CHECK(r.runs[0].identity.block == 3);
    CHECK(r.begin == 100);
    CHECK(r.end == 200);
    CHECK_FALSE(r.ended_early);
}

TEST_CASE("a flag joins its set and the wait that consumed it") {
    Recorder recorder;
    small_run().play(recorder);
    const Recording& r = recorder.recording();
    REQUIRE(r.flags.size() == 1);
    CHECK(r.flags[0].set == 160);
    CHECK(r.flags[0].consumed == 160);
    CHECK(r.flags[0].set_sequence == 1);
    CHECK(r.flags[0].wait_sequence == 2);
    REQUIRE(r.waits.size() == 3);
    CHECK(r.waits[0].released_by == 1);
    CHECK(r.waits[0].end == 160);
}

TEST_CASE("a signal is joined with every core that took it") {
    Recorder recorder;
    deadlock_run(true).play(recorder);
    const Recording& r = recorder.recording();
    REQUIRE(r.flags.size() == 2);
    for (unsigned i = 0; i < 2; ++i) {
        CHECK(r.flags[i].cross_core);
        CHECK(r.cores[r.flags[i].from] == kAic0);
        CHECK(r.cores[r.flags[i].core] == (i == 0 ? kAiv0 : kAiv1));
        CHECK(r.flags[i].source == Pipe::kMTE2);
        CHECK(r.flags[i].destination == Pipe::kS);
        CHECK(r.flags[i].consumed == 110);
    }
}

TEST_CASE("the n-th wait for a signal takes the n-th one of the core that released it") {
    // Two AIVs signal an AIC twice; each time the delivery comes with the later of the two.
    Tape tape;
    const Instruction signal = flag_instruction(Opcode::kCROSS_SET, Pipe::kMTE3, Pipe::kS, 5, 40);
    const Instruction take = flag_instruction(Opcode::kCROSS_WAIT, Pipe::kMTE3, Pipe::kS, 5, 41);
    tape.launch(0, 100, {kAic0, kAiv0, kAiv1});
    tape.flag(10, kAiv0, signal, 0, true, true, kAiv0);
    tape.flag(20, kAiv1, signal, 0, true, true, kAiv1);
    tape.flag(30, kAic0, take, 0, false, true, kAiv1);
    tape.flag(40, kAiv1, signal, 1, true, true, kAiv1);
    tape.flag(50, kAiv0, signal, 1, true, true, kAiv0);
    tape.flag(60, kAic0, take, 1, false, true, kAiv0);
    Recorder recorder;
    tape.play(recorder);
    const Recording& r = recorder.recording();
    std::string pairs;
    for (const FlagRecord& flag : r.flags)
        if (flag.consumed != kNever)
            pairs += std::to_string(flag.set) + "->" + std::to_string(flag.consumed) + " ";
    CHECK(pairs == "20->30 50->60 ");
}

TEST_CASE("what a deadlock leaves open ends with the run and is marked") {
    Recorder recorder;
    deadlock_run(false).play(recorder);
    const Recording& r = recorder.recording();
    CHECK(r.ended_early);
    CHECK(r.end == 500);
    CHECK(r.launches[0].open);
    unsigned open_waits = 0, open_runs = 0, queued = 0, cut = 0;
    for (const WaitRecord& wait : r.waits)
        if (wait.open) {
            ++open_waits;
            CHECK(wait.end == 500);
        }
    for (const RunRecord& run : r.runs)
        if (run.open) {
            ++open_runs;
            CHECK(run.end == 500);
        }
    for (const InstructionRecord& i : r.instructions) {
        if (i.has(InstructionRecord::kCompleted)) continue;
        CHECK(i.completed == 500);
        ++(i.has(InstructionRecord::kStarted) ? cut : queued);
    }
    CHECK(open_waits == 2);
    CHECK(open_runs == 1);
    CHECK(queued == 2);
    CHECK(cut == 1);
}

TEST_CASE("a recording can be looked at while the machine runs") {
    Recorder recorder;
    Recorder undisturbed;
    const Tape tape = small_run();
    tape.play(undisturbed);
    struct Peek : Observer {
        explicit Peek(Recorder& r) : recorder{r} {}
        Recorder& recorder;
        void on_start(const InstructionEvent& e) override {
            recorder.on_start(e);
            CHECK(recorder.recording().ended_early);
        }
        void on_launch(const LaunchEvent& e) override { recorder.on_launch(e); }
        void on_launch_end(Cycle t) override { recorder.on_launch_end(t); }
        void on_block_begin(const RunEvent& e) override { recorder.on_block_begin(e); }
        void on_block_end(const RunEvent& e) override { recorder.on_block_end(e); }
        void on_issue(const InstructionEvent& e) override { recorder.on_issue(e); }
        void on_complete(const InstructionEvent& e) override { recorder.on_complete(e); }
        void on_flag_set(const FlagEvent& e) override { recorder.on_flag_set(e); }
        void on_flag_wait(const FlagEvent& e) override { recorder.on_flag_wait(e); }
        void on_block(const BlockEvent& e) override { recorder.on_block(e); }
        void on_unblock(const BlockEvent& e) override { recorder.on_unblock(e); }
    } peek{recorder};
    tape.play(peek);
    CHECK_FALSE(recorder.recording().ended_early);
    CHECK(summary_text(account(recorder.recording())) ==
          summary_text(account(undisturbed.recording())));
}

TEST_CASE("locations of several launches are told apart") {
    SourceMap first, second;
    first.add("a.pto", "one\ntwo\n", SourceLanguage::kAssembly);
    second.add("b.pto", "three\nfour\n", SourceLanguage::kAssembly);
    Sources sources;
    sources.begin_launch("a", &first);
    const SourceLocation in_a = sources.run_location({0, 1, 2});
    sources.begin_launch("b", &second);
    const SourceLocation in_b = sources.run_location({0, 1, 2});
    sources.begin_launch("a", &first);
    CHECK(sources.run_location({0, 1, 2}) == in_a);
    CHECK(sources.text(in_a) == "a.pto:2");
    CHECK(sources.line(in_b) == "four");
    CHECK(sources.text({}) == "");
    sources.begin_launch("none", nullptr);
    CHECK(sources.run_location({0, 1, 2}).line == 0);
}
