#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "sim/files/json.h"
#include "sim/files/output_file.h"
#include "traces/analyse/bottleneck.h"
#include "traces/record/test_events.h"
#include "traces/traces.h"
#include "traces/write/brief_summary.h"
#include "traces/write/chrome_trace.h"

using namespace ptosim;
using namespace ptosim::test;
using Catch::Matchers::Contains;

namespace {

Accounting counted(const Tape& tape) {
    Summary summary;
    tape.play(summary);
    return summary.accounting();
}

size_t files_in(const std::filesystem::path& folder) {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("the summary tells time, shares and the bottleneck") {
    const std::string text = summary_text(counted(small_run(1'850'000'000)));
    CHECK_THAT(text, Contains("ascend910b1"));
    CHECK_THAT(text, Contains("100 cycles = 0.054 us at 1.850 GHz"));
    CHECK_THAT(text, Contains("AIV00: util 70.0 %"));
    CHECK_THAT(text, Contains("flag MTE2->V #0 set at add.pto:11 (54.0 %, waits at add.pto:12)"));
}

TEST_CASE("the brief summary has 100 columns and names a shared folder once") {
    Accounting accounting = counted(small_run(1'850'000'000));
    Advice advice;
    advice.what = "Add a slot to the buffer that MTE2 fills: MTE2 waits 30 cycles per core for V to free one";
    advice.location = "/somewhere/far/away/from/here/add.pto:12";
    advice.saving = 30;
    for (CoreAccount& core : accounting.cores)
        for (PipeAccount& pipe : core.pipes)
            for (WaitSite& site : pipe.sites) site.release = "/somewhere/far/away/from/here/" + site.release;
    const std::string text = brief_text(accounting, std::vector{advice, advice, advice}, {});
    CHECK_THAT(text, Contains("\nsources in    /somewhere/far/away/from/here/\n"));
    CHECK_THAT(text, Contains("  V  ") && Contains("flag MTE2->V #0 set at add.pto:11 (54.0 %)\n"));
    std::istringstream lines(text);
    size_t longest = 0, mentions = 0;
    for (std::string line; std::getline(lines, line);) {
        longest = std::max(longest, line.size());
        mentions += line.find("Add a slot") != std::string::npos;
    }
    CHECK(longest <= 100);
    CHECK(longest > 80);
    CHECK(mentions == 2);
}

TEST_CASE("a pipe that is busy most of the time is the bottleneck, and the computing pipe waits") {
    Tape tape;
    const Instruction set = flag_instruction(Opcode::kSET_FLAG, Pipe::kMTE1, Pipe::kM, 0, 87);
    const Instruction wait = flag_instruction(Opcode::kWAIT_FLAG, Pipe::kMTE1, Pipe::kM, 0, 90);
    tape.launch(0, 1000, {kAic0});
    tape.instruction(kAic0, Pipe::kMTE2, 0, tile_instruction(Opcode::kTLOAD, 10), 0, 0, 910, 910);
    tape.wait(kAic0, Pipe::kM, BlockReason::kFlag, 1, &wait, 100, 640, kAic0, Pipe::kMTE1, 2);
    Tape ordered = tape;
    // The set comes before the unblock that follows from it.
    ordered.flag(639, kAic0, set, 2, true);
    CHECK(bottleneck_text(counted(ordered)) ==
          "MTE2 is the bottleneck: busy 91 % of the time on AIC00; M waits 54 % of its time for "
          "flag MTE1->M #0 set at add.pto:87.");
}

TEST_CASE("if no pipe is busy, the sentence tells what the busiest one waits for") {
    CHECK(bottleneck_text(counted(small_run())) ==
          "No pipe is busy more than 60 % of the time. The busiest, MTE2 on AIV00 (50 %), is "
          "idle 50 % of the time.");
    Tape tape;
    const Instruction set = flag_instruction(Opcode::kSET_FLAG, Pipe::kMTE2, Pipe::kV, 1, 8);
    const Instruction wait = flag_instruction(Opcode::kWAIT_FLAG, Pipe::kMTE2, Pipe::kV, 1, 9);
    tape.launch(0, 100, {kAiv0});
    tape.flag(50, kAiv0, set, 0, true);
    tape.wait(kAiv0, Pipe::kV, BlockReason::kFlag, 1, &wait, 0, 50, kAiv0, Pipe::kMTE2, 0);
    tape.instruction(kAiv0, Pipe::kV, 2, tile_instruction(Opcode::kTADD, 10), 0, 50, 95, 100);
    CHECK(bottleneck_text(counted(tape)) ==
          "No pipe is busy more than 60 % of the time. The busiest, V on AIV00 (45 %), waits 50 % "
          "of its time for flag MTE2->V #1 set at add.pto:8.");
}

TEST_CASE("the summary of a deadlock tells what still waits") {
    const std::string text = summary_text(counted(deadlock_run(true)));
    CHECK_THAT(text, Contains("The run ended early: V on AIV00 still waits for flag MTE3->V #1 at "
                              "add.pto:31."));
    CHECK_THAT(text, Contains("3 that did not complete"));
    CHECK_THAT(text, Contains("never released"));
}

TEST_CASE("if no pipe is busy, the busiest of all cores is named, as in the table") {
    Tape tape;
    tape.launch(0, 1000, {kAic0, kAiv0}).run(kAic0, 0, 0, 500).run(kAiv0, 0, 0, 1000);
    tape.instruction(kAic0, Pipe::kMTE2, 0, tile_instruction(Opcode::kTLOAD, 1), 0, 0, 450, 500);
    tape.instruction(kAiv0, Pipe::kV, 0, tile_instruction(Opcode::kTADD, 1), 0, 0, 300, 310);
    tape.wait(kAiv0, Pipe::kS, BlockReason::kDrain, 1, nullptr, 10, 1000);
    CHECK_THAT(bottleneck_text(counted(tape)), Contains("The busiest, MTE2 on AIC00 (45 %)"));
}

TEST_CASE("a wait that begins in the last cycle of a deadlock is told") {
    Tape tape;
    const Instruction wait = flag_instruction(Opcode::kWAIT_FLAG, Pipe::kMTE3, Pipe::kV, 1, 29);
    tape.launch(0, 100, {kAiv0});
    tape.instruction(kAiv0, Pipe::kV, 0, tile_instruction(Opcode::kTADD, 1), 0, 0, 50, 60);
    tape.wait(kAiv0, Pipe::kV, BlockReason::kFlag, 1, &wait, 100, kNever);
    Recorder recorder;
    tape.play(recorder);
    for (const Accounting& a : {counted(tape), account(recorder.recording())})
        CHECK(bottleneck_text(a) ==
              "The run ended early: V on AIV00 still waits for flag MTE3->V #1 at add.pto:29.");
}

TEST_CASE("more than eight cores are summed up, and the slowest is shown") {
    Tape tape;
    std::vector<CoreId> cores;
    for (uint16_t i = 0; i < 20; ++i) cores.push_back({CoreType::kAIV, i});
    tape.launch(0, 1000, cores);
    for (CoreId core : cores) {
        const Cycle end = core.index == 7 ? 1000 : 500;
        tape.run(core, core.index, 0, end);
        tape.instruction(core, Pipe::kV, 0, tile_instruction(Opcode::kTADD, 1), 0, 0, end, end);
    }
    const std::string text = summary_text(counted(tape));
    CHECK_THAT(text, Contains("AIV, 20 cores"));
    CHECK_THAT(text, Contains("50.0   52.5  100.0"));  // 19 * 50 % and 100 %
    CHECK_THAT(text, Contains("The slowest of the 20 cores:\nAIV07"));
    CHECK_THAT(text, !Contains("AIV08:"));
}

TEST_CASE("neighbouring cores that did the same are shown once") {
    Tape tape;
    std::vector<CoreId> cores;
    for (uint16_t i : {0, 1, 2, 3, 5}) cores.push_back({CoreType::kAIV, i});
    tape.launch(0, 1000, cores);
    for (CoreId core : cores) {
        const Cycle end = core.index == 2 ? 1000 : 500;
        tape.run(core, core.index, 0, end);
        tape.instruction(core, Pipe::kV, 0, tile_instruction(Opcode::kTADD, 1), 0, 0, end, end);
    }
    const std::string text = summary_text(counted(tape));
    CHECK_THAT(text, Contains("\nAIV00 to AIV01, each: util 50.0 %"));
    CHECK_THAT(text, Contains("\nAIV02: util 100.0 %"));
    CHECK_THAT(text, Contains("\nAIV03: util 50.0 %"));
    CHECK_THAT(text, Contains("\nAIV05: util 50.0 %"));
}

TEST_CASE("the result JSON has the parts that the command line promises") {
    const auto json = result_json(counted(small_run()));
    CHECK(json["cycles"] == 100);
    CHECK(json["time_us"] == 0.1);
    CHECK(json["instructions"] == 5);
    CHECK(json["cores"][0]["lane"] == "AIV00");
    CHECK(json["cores"][0]["util"] == 0.7);
    CHECK(json["cores"][0]["pipes"]["MTE2"]["busy"] == 50);
    CHECK(json["cores"][0]["pipes"]["MTE2"]["instructions"] == 2);
    CHECK(json["cores"][0]["pipes"]["V"]["waits"].size() == 2);
}

TEST_CASE("a file that cannot be written is reported and leaves nothing") {
    Folder folder;
    Recorder recorder;
    small_run().play(recorder);
    const Recording& r = recorder.recording();
    CHECK(code_of([&] { write_chrome_trace(r, folder.path / "missing" / "trace.json"); }) == "I40");
    std::filesystem::create_directory(folder.path / "trace.json");  // in the way
    CHECK(code_of([&] { write_chrome_trace(r, folder.path / "trace.json"); }) == "I40");
    CHECK(files_in(folder.path) == 1);
    std::ofstream(folder.path / "file") << "x";
    CHECK(code_of([&] { write_traces(r, folder.path / "file"); }) == "I40");
    CHECK(code_of([&] { write_traces(r, folder.path / "file" / "run"); }) == "I40");
    CHECK(read(folder.path / "file") == "x");
}

TEST_CASE("a full disk is reported, and the file that was there stays") {
    Folder folder;
    std::ofstream(folder.path / "out") << "before";
    // A limit on file sizes fails like a full disk, in the middle of a write.
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit tight{1000, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
    const std::string early = code_of([&] {
        OutputFile file{folder.path / "out"};
        for (int i = 0; i < 3; ++i) file.write(std::string(1 << 20, 'x'));
    });
    const std::string late = code_of([&] {
        OutputFile file{folder.path / "out"};
        file.write(std::string(2000, 'x'));
        file.commit();
    });
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK(early == "I40");
    CHECK(late == "I40");
    CHECK(read(folder.path / "out") == "before");
    CHECK(files_in(folder.path) == 1);
}
