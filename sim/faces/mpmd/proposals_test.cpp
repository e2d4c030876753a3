// Programs of a few tasks, small enough to be followed by hand: one fault each, and the saving of its repair. At 1 GHz;
// a task begins 10 cycles after its dependencies, and its submit takes 10.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "sim/faces/mpmd/program_analysis.h"

namespace ptosim::mpmd {
namespace {

constexpr uint64_t kClockHz = 1'000'000'000;

class Recording {
 public:
    Recording(unsigned aics, unsigned aivs) {
        Run& made = program_.runs.emplace_back();
        made.aics = aics;
        made.aivs = aivs;
    }
    Run& run() { return program_.runs[0]; }
    // The tasks are numbered from 1 in the order of their submits.
    Task& add(const char* kernel, uint16_t aiv, Cycle submit_begin, Cycle begin, Cycle end) {
        Task task;
        task.core = {CoreType::kAIV, aiv};
        task.kernel = kernel;
        task.id = run().submits.size() + 1;
        task.begin = begin;
        task.end = end;
        task.compute = 1;
        run().submits.push_back({task.id, submit_begin, submit_begin + 10});
        run().tasks_end = program_.tasks.size() + 1;
        run().end = std::max(run().end, end);
        return program_.tasks.emplace_back(std::move(task));
    }
    void need(uint64_t before, uint64_t after, Reason::Kind kind, unsigned argument = 0) {
        run().dependencies.push_back({before, after});
        run().reasons.push_back({before, after, kind, argument});
    }
    // The first change for the program's author; its text is empty if there is none.
    Saving first(const SourceMap& sources = {}) {
        KernelSites sites(sources);
        const RunAnalysis analysis = analyse(program_, run(), sites, kClockHz);
        if (analysis.savings.empty() || analysis.savings[0].who != Saving::Who::kProgram) return {};
        return analysis.savings[0];
    }
    Program& program() { return program_; }

 private:
    Program program_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Four tasks, each of which gets the whole tensor that the previous one has written, and writes other bytes.
Recording chain() {
    Recording recording(1, 4);
    for (uint16_t i = 0; i < 4; ++i) {
        const Cycle begin = 20 + 110 * i;
        recording.add("rows", i, 10 * i, begin, begin + 100).touched = {{100u * i, 100u * i + 100, true, {}}};
        if (i > 0) recording.need(i, i + 1, Reason::Kind::kTensor, 1);
    }
    return recording;
}

TEST_CASE("tasks that wait for each other though they touch other bytes", "[mpmd]") {
    // The last one, submitted until 40, then ends at 40 + 10 + 100, not at 450.
    const Saving saving = chain().first();
    CHECK(saving.kind == Saving::Kind::kDependency);
    CHECK(saving.cycles == 300);
    CHECK(has(saving.change, "form a chain through argument 1"));

    Recording overlapping = chain();
    overlapping.program().tasks[3].touched = {{50, 60, false, {}}};
    CHECK(overlapping.first().change.empty());
    Recording unknown = chain();
    unknown.program().tasks[2].touched.clear();
    CHECK(unknown.first().change.empty());
}

TEST_CASE("the line of a chain's loop in Python", "[mpmd]") {
    const auto file = std::filesystem::temp_directory_path() / "ptosim_proposals_test.py";
    std::ofstream(file) << "def rows(x, y):\n    for i in pl.range(4):\n        with pl.at(1):\n"
                           "            y[i] = x[i]\n";
    SourceMap sources;
    const std::string name = file.string();
    const auto at = [&](const char* line) { return "loc(\"" + name + "\":" + line + ")\n"; };
    sources.add("rows.cpp", "\"  func.func @rows(%arg0: !pto.ptr<f32>) {\\n\"\n", SourceLanguage::kCpp);
    sources.add("rows.pto", "  func.func @rows(%arg0: !pto.ptr<f32>, %arg1: !pto.ptr<f32>) {\n"
                            "  %x__ssa_v0_view = pto.make_tensor_view %arg0, shape = [] " + at("3:9") +
                            "  %y__iter_v1_view = pto.make_tensor_view %arg1, shape = [] " + at("3:9"),
                SourceLanguage::kAssembly);
    const Saving saving = chain().first(sources);
    CHECK(saving.change == "Tasks of ptosim_proposals_test.py:3 form a chain through `y`: make pl.range in line 2 "
                           "pl.parallel, or submit each with its own part of the tensor");
    CHECK(saving.file == name);
    CHECK(saving.line == 3);
    std::filesystem::remove(file);
}

TEST_CASE("who uses what a chain has written waits for all of it", "[mpmd]") {
    Recording recording = chain();
    recording.add("sum", 0, 40, 460, 560).touched = {{0, 400, false, {}}};
    recording.need(4, 5, Reason::Kind::kTensor, 0);
    // All of the chain end at 150 at the latest, the sum 110 later; it ended at 560.
    CHECK(recording.first().cycles == 300);
}

TEST_CASE("a dependency that the program names and nothing needs", "[mpmd]") {
    Recording recording(1, 2);
    recording.add("one", 0, 0, 20, 120).touched = {{0, 100, true, {}}};
    recording.add("two", 1, 10, 130, 230).touched = {{100, 200, true, {}}};
    recording.need(1, 2, Reason::Kind::kNamed);
    const Saving saving = recording.first();
    CHECK(has(saving.change, "Drop the dependency of two (two) on one"));
    CHECK(saving.cycles == 230 - (20 + 10 + 100));
    recording.program().tasks[1].touched = {{99, 101, false, {}}};
    CHECK(recording.first().change.empty());
}

TEST_CASE("a task that only copies", "[mpmd]") {
    Recording recording(1, 2);
    recording.add("make", 0, 0, 20, 120);
    Task& copy = recording.add("copy", 0, 10, 130, 230);
    copy.compute = 0;
    copy.memory = 90;
    recording.add("use", 0, 20, 240, 340);
    recording.need(1, 2, Reason::Kind::kTensor, 0);
    recording.need(2, 3, Reason::Kind::kTensor, 0);
    recording.run().arguments = {{2, 0, true, false, 0, 100}, {2, 1, false, true, 100, 200}};
    const Saving saving = recording.first();
    CHECK(has(saving.change, "Let use (use) read argument 0, and leave out copy"));
    CHECK(saving.cycles == 110);
}

TEST_CASE("tasks that are too small", "[mpmd]") {
    Recording recording(1, 16);
    for (uint16_t i = 0; i < 16; ++i) recording.add("tiny", i, 10 * i, 10 * i + 20, 10 * i + 21);
    // Now 160 + 10 + 1. Eight of two tasks: 80 + 10 + 2; four of four: 40 + 10 + 4; two of eight: 20 + 10 + 8.
    const Saving saving = recording.first();
    CHECK(has(saving.change, "Give each task of tiny (tiny) 8 times the work: 2 tasks instead of 16"));
    CHECK(saving.cycles == 171 - 38);
}

TEST_CASE("tasks that are too few", "[mpmd]") {
    Recording recording(1, 16);
    for (uint16_t i = 0; i < 2; ++i) recording.add("band", i, 10 * i, 10 * i + 20, 10 * i + 420);
    // Now 20 + 10 + 400. Of 4, 8, 16 tasks: 40 + 10 + 200, 80 + 10 + 100, 160 + 10 + 50.
    const Saving saving = recording.first();
    CHECK(has(saving.change, "Split band (band) into 8 tasks instead of 2"));
    CHECK(saving.cycles == 430 - 190);
}

TEST_CASE("work that is shared unevenly", "[mpmd]") {
    Recording recording(1, 2);
    recording.add("part", 0, 0, 20, 120);
    recording.add("part", 1, 10, 30, 430);
    // 250 on average: 20 + 10 + 250.
    const Saving saving = recording.first();
    CHECK(has(saving.change, "Share the work of part (part) evenly among its 2 tasks"));
    CHECK(saving.cycles == 430 - 280);
}

TEST_CASE("the longest task is submitted last", "[mpmd]") {
    Recording recording(1, 16);
    for (uint16_t i = 0; i < 12; ++i) recording.add("small", i, 10 * i, 10 * i + 20, 10 * i + 50);
    recording.add("tall", 12, 120, 140, 340);
    // Submitted first it would end at 10 + 10 + 200, with the others long before: the last of them at 130 + 10 + 30.
    const Saving saving = recording.first();
    CHECK(has(saving.change, "Submit tall (tall) before tasks that do not need it"));
    CHECK(saving.cycles == 120);
}

TEST_CASE("an orchestration that waits before it submits what it could", "[mpmd]") {
    Recording recording(1, 4);
    recording.add("count", 0, 0, 20, 120);
    recording.add("uses", 1, 510, 530, 540);
    recording.add("other", 2, 520, 540, 740);
    // Submitted earlier, the other one ends early; "uses" then 10 later: 530 + 10 + 10.
    const Saving saving = recording.first();
    CHECK(saving.kind == Saving::Kind::kOrchestration);
    CHECK(has(saving.change, "Submit other (other) before uses (uses)"));
    CHECK(saving.cycles == 740 - 550);
}

TEST_CASE("a window that is full", "[mpmd]") {
    Recording recording(1, 4);
    recording.run().windows = {2};
    recording.add("band", 0, 0, 20, 120);
    // Its slot of two is free at 130, when a scheduler has seen the end of the first.
    recording.add("band", 1, 10, 150, 250);
    recording.program().tasks[0].seen = 130;
    recording.run().submits[1].end = 140;
    // Without the wait: 20 + 10 + 100.
    const Saving saving = recording.first();
    CHECK(saving.kind == Saving::Kind::kRing);
    CHECK(has(saving.change, "Set PTO2_RING_TASK_WINDOW (ring_task_window) to 4: it is 2"));
    CHECK(saving.cycles == 250 - 130);
    recording.run().windows = {64};
    CHECK(recording.first().change.empty());
}

}  // namespace
}  // namespace ptosim::mpmd
