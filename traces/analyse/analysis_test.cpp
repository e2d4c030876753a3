// The critical path, the replay and the report, on runs whose times are worked out by hand.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/files/json.h"
#include "traces/analyse/analysis.h"
#include "traces/analyse/bottleneck.h"
#include "traces/analyse/labels.h"
#include "traces/analyse/series.h"
#include "traces/record/test_events.h"
#include "traces/traces.h"
#include "traces/write/report.h"
#include "traces/write/summary.h"

using namespace ptosim;
using namespace ptosim::test;
using Catch::Matchers::Contains;

namespace {

Recording recorded(const Tape& tape) {
    Recorder recorder;
    tape.play(recorder);
    return recorder.recording();
}

void require_tiles(const Recording& r, const std::vector<Dependencies::Step>& path) {
    Cycle at = r.begin;
    for (const Dependencies::Step& step : path) {
        REQUIRE(step.begin == at);
        REQUIRE(step.end > step.begin);
        at = step.end;
    }
    REQUIRE(at == r.end);
}

std::string words(const Recording& r, const std::vector<Dependencies::Step>& path) {
    std::string text;
    for (const Dependencies::Step& step : path)
        text +=
            std::to_string(step.begin) + "-" + std::to_string(step.end) + " " +
            std::string(name(step.spent)) +
            (step.instruction < 0
                 ? ""
                 : " " + std::to_string(
                             r.instructions[static_cast<size_t>(step.instruction)].location.line)) +
            "; ";
    return text;
}

}  // namespace

TEST_CASE("the critical path of the small run is the one on the drawing") {
    // Issue of the load; its work and latency; the flag; the add; the barrier's end is the end of
    // the block; then the launch ends. The lines come from test_events.h.
    const Recording r = recorded(small_run());
    const auto path = Dependencies(r).critical_path();
    require_tiles(r, path);
    CHECK(words(r, path) ==
          "100-102 block 10; 102-152 work 10; 152-160 latency 10; 160-180 work 13; "
          "180-185 latency 13; 185-200 block; ");
}

TEST_CASE("a replay without a change takes as long as the run, and no longer with one") {
    const Recording r = recorded(small_run());
    const Dependencies dependencies(r);
    CHECK(dependencies.replay({}) == 100);
    Dependencies::Change no_load;
    no_load.without = [](const InstructionRecord& i) { return i.pipe == Pipe::kMTE2; };
    // Scalar 108 - 100 to issue the add, 20 + 5 for it, 15 to the end of the launch.
    CHECK(dependencies.replay(no_load) == 8 + 25 + 15);
    Dependencies::Change no_add;
    no_add.without = [](const InstructionRecord& i) { return i.opcode == Opcode::kTADD; };
    CHECK(dependencies.replay(no_add) == 100 - 25);
    Dependencies::Change no_blocks;
    no_blocks.no_block_gaps = true;
    CHECK(dependencies.replay(no_blocks) == 83);
}

TEST_CASE("what the scalar unit waited for in its own instruction is no work of its own") {
    // AIC00 loads (10-100) and signals; AIV00's scalar unit takes the signal 10 cycles later and
    // issues an add 2 cycles after that: 112-132, and 8 more to the end.
    Tape tape;
    const Instruction load = tile_instruction(Opcode::kTLOAD, 20);
    const Instruction signal = flag_instruction(Opcode::kCROSS_SET, Pipe::kMTE2, Pipe::kAll, 3, 21);
    const Instruction take = flag_instruction(Opcode::kCROSS_WAIT, Pipe::kAll, Pipe::kAll, 3, 30);
    tape.launch(0, 140, {kAic0, kAiv0}).run(kAic0, 0, 0, 100).run(kAiv0, 0, 0, 132);
    tape.instruction(kAic0, Pipe::kMTE2, 0, load, 10, 10, 90, 100);
    tape.flag(100, kAic0, signal, 1, true, true, kAic0);
    tape.instruction(kAic0, Pipe::kMTE2, 1, signal, 12, 90, 90, 100);
    tape.wait(kAiv0, Pipe::kS, BlockReason::kCrossCore, 0, &take, 20, 110, kAic0, Pipe::kMTE2, 1);
    tape.instruction(kAiv0, Pipe::kS, 0, take, 20, 110, 110, 110);
    tape.instruction(kAiv0, Pipe::kV, 1, tile_instruction(Opcode::kTADD, 32), 112, 112, 132, 132);
    const Recording r = recorded(tape);
    const Dependencies dependencies(r);
    CHECK(dependencies.replay({}) == 140);
    Dependencies::Change no_load;
    no_load.without = [](const InstructionRecord& i) { return i.opcode == Opcode::kTLOAD; };
    // The signal goes out at 12 and is taken at 22; the add is issued at 24.
    CHECK(dependencies.replay(no_load) == 24 + 20 + 8);
}

TEST_CASE("a path goes from core to core over signals, and ends with what did not come") {
    const Recording r = recorded(deadlock_run(false));
    const auto path = Dependencies(r).critical_path();
    require_tiles(r, path);
    CHECK(path.back().spent == Spent::kNever);
    const Analysis a = analyse(r);
    Cycle sum = 0;
    for (Cycle cycles : a.path_spent) sum += cycles;
    CHECK(sum == 500);
    CHECK(a.savings.empty());
}

TEST_CASE("the advice of a summary is that of the report") {
    for (const Tape& tape : {small_run(), deadlock_run(false)}) {
        const Recording r = recorded(tape);
        const Analysis report = analyse(r);
        const Advised summary = advise(r, account(r));
        CHECK(bottleneck_text(report.accounting, summary.advice) == report.bottleneck);
        REQUIRE(summary.advice.size() == report.advice.size());
        for (size_t i = 0; i < summary.advice.size(); ++i)
            CHECK(advice_text(summary.advice[i], 100) == advice_text(report.advice[i], 100));
        CHECK(summary.basis.parts == report.basis.parts);
    }
}

TEST_CASE("an empty recording has a report") {
    const Recording r = recorded(Tape{});
    const Analysis a = analyse(r);
    CHECK(report_markdown(r, a).find("No instruction ran.") != std::string::npos);
    CHECK(nlohmann::ordered_json::parse(report_json(r, a))["cycles"] == 0);
}

TEST_CASE("every report has the headings that programs look for, and the same numbers") {
    const Recording r = recorded(small_run());
    const Analysis a = analyse(r);
    const std::string text = report_markdown(r, a);
    size_t at = 0;
    for (const char* heading :
         {"# add on ascend910b1\n\n**Bottleneck:** ", "\n## Totals\n", "\n## Cores and pipes\n",
          "\n## Waits\n", "\n## Time by source line\n", "\n## Time by instruction\n",
          "\n## Traffic\n", "\n## Roofline\n", "\n## Buffers\n", "\n## Critical path\n",
          "\n## What would save time\n", "\n## Findings\n"}) {
        INFO(heading);
        const size_t found = text.find(heading, at);
        REQUIRE(found != std::string::npos);
        at = found;
    }
    CHECK(text.find("| AIV00 | V | 20 | 5 | 54 | 0 | 0 | 21 | 20.0 % | 3 |") != std::string::npos);
    CHECK(text.find("(exact)") != std::string::npos);
    const nlohmann::ordered_json json = nlohmann::ordered_json::parse(report_json(r, a));
    CHECK(json["cycles"] == 100);
    CHECK(json["cores"].dump() == dump_json(cores_json(a.accounting)));
    CHECK(json["traffic"]["GM->UB"] == 16 * 64 * 4);
    CHECK(json["lines"][0]["name"] == "add.pto:10");
    CHECK(json["lines"][0]["busy"] == 50);
    CHECK(json["lines"][0]["critical"] == 50 + 8);  // not the 2 before the block issues
}

TEST_CASE("buffers: from the first write to the last read") {
    // TLOAD writes 4 KiB at address 0 from 102 on; TADD reads and writes the same tile to 185.
    const Recording r = recorded(small_run());
    const auto series = occupancy_series(r);
    REQUIRE(series.size() == 1);
    CHECK(series[0].name == "UB");
    CHECK(series[0].points ==
          std::vector<std::pair<Cycle, uint64_t>>{{100, 0}, {102, 4096}, {185, 0}});
    const Analysis a = analyse(r);
    REQUIRE(a.buffers.size() == 1);
    CHECK(a.buffers[0].top == 4096);
    CHECK(a.buffers[0].live == 4096);
}

TEST_CASE("a tile that is added to lives once, whatever the latency of its parts") {
    Tape tape;
    tape.launch(0, 100, {kAiv0}).run(kAiv0, 0, 0, 100);
    const Instruction add = tile_instruction(Opcode::kTADD, 13);
    tape.instruction(kAiv0, Pipe::kV, 0, add, 0, 10, 30, 40);
    tape.instruction(kAiv0, Pipe::kV, 1, add, 0, 30, 50, 60);  // begins before the first is there
    const auto series = occupancy_series(recorded(tape));
    REQUIRE(series.size() == 1);
    CHECK(series[0].points == std::vector<std::pair<Cycle, uint64_t>>{{0, 0}, {10, 4096}, {60, 0}});
}

TEST_CASE("a long critical path is told by its longest steps, and still tiles the run") {
    const Recording r = recorded(loop_run(2000));
    const Analysis a = analyse(r);
    REQUIRE(a.path.size() > 2500);
    const auto path = nlohmann::ordered_json::parse(report_json(r, a))["critical_path"];
    CHECK(path["steps"].size() <= 5001);
    Cycle at = 0;
    for (const auto& step : path["steps"]) {
        CHECK(step["begin"] == at);
        at = step["end"];
    }
    CHECK(at == r.end);
}

TEST_CASE("bandwidth adds up to the bytes, queues to what was issued and not started") {
    const Recording r = recorded(small_run());
    const auto bandwidth = bandwidth_series(r, 10);
    REQUIRE(bandwidth.size() == 1);
    CHECK(bandwidth[0].name == "GM->UB");
    // 4096 bytes in 50 cycles of 1 ns are 81920 MB/s; ten stretches of ten cycles.
    uint64_t bytes = 0;
    for (size_t i = 0; i + 1 < bandwidth[0].points.size(); ++i)
        bytes += bandwidth[0].points[i].second *
                 (bandwidth[0].points[i + 1].first - bandwidth[0].points[i].first) / 1000;
    CHECK(bytes + 10 >= 4096);
    CHECK(bytes <= 4096);
    const auto queues = queue_series(r);
    REQUIRE(queues.size() == 2);
    CHECK(queues[0].name == "MTE2 queue");
    CHECK(queues[0].points ==
          std::vector<std::pair<Cycle, uint64_t>>{{100, 0}, {104, 1}, {152, 0}});
    CHECK(queues[1].highest() == 3);  // wait, add and barrier after the flag
}

TEST_CASE("a queue of tensors holds what EnQue has put and DeQue has not taken") {
    CHECK(tensor_series(recorded(small_run())).empty());
    const auto tensors = tensor_series(recorded(library_run()));
    REQUIRE(tensors.size() == 1);
    CHECK(tensors[0].name == "queue (TQue)");
    CHECK(tensors[0].core == 0);
    CHECK(tensors[0].points ==
          std::vector<std::pair<Cycle, uint64_t>>{{0, 0}, {60, 1}, {70, 0}});
}

TEST_CASE("what a library's call issues is named by the call") {
    const Recording r = recorded(library_run());
    const Analysis a = analyse(r);
    const std::string text = report_markdown(r, a) + summary_text(a.accounting, a.advice, a.basis);
    CHECK_THAT(text, Contains("DataCopy (TLOAD) at add.pto:2"));
    CHECK_THAT(text, Contains("flag MTE2->V #0 set at add.pto:3 (EnQue)"));
    CHECK_THAT(text, Contains("waits at add.pto:4 (DeQue)"));
    CHECK_THAT(text, Contains("| Add | V | 2 | 30 |"));
    const auto json = nlohmann::json::parse(report_json(r, a));
    CHECK(json["waits"][0]["call"] == "DeQue");
    CHECK(json["waits"][0]["set_by"] == "EnQue");
    CHECK(json["by_call"].size() == 4);
}
