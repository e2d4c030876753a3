// A program of three tasks on one cluster, small enough to be followed by hand. At 1 GHz:
//   submits: A 0-10, B 10-20, C 20-30; B depends on A
//   AIV00: A 50-150, C 160-190; AIV01: B 200-300; the run ends at 350
#include "sim/faces/mpmd/program_analysis.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/faces/mpmd/heap_use.h"
#include "sim/faces/mpmd/program_files.h"
#include "sim/faces/mpmd/records.h"
#include "sim/faces/mpmd/run_failure.h"
#include "sim/faces/mpmd/task_bounds.h"
#include "sim/faces/mpmd/task_races.h"

namespace ptosim::mpmd {
namespace {

constexpr uint64_t kA = 1, kB = 2, kC = 3;

Task task(uint64_t id, const char* kernel, uint16_t aiv, Cycle begin, Cycle end) {
    Task made;
    made.core = {CoreType::kAIV, aiv};
    made.kernel = kernel;
    made.id = id;
    made.begin = begin;
    made.end = end;
    return made;
}

Program three_tasks() {
    Program program;
    program.tasks = {task(kA, "add", 0, 50, 150), task(kC, "add", 0, 160, 190),
                     task(kB, "mul", 1, 200, 300)};
    program.tasks[0].compute = 60;
    program.tasks[0].memory = 30;
    Run run;
    run.end = 350;
    run.tasks_end = 3;
    run.aics = 1;
    run.aivs = 2;
    run.dependencies = {{kA, kB}};
    run.submits = {{kA, 0, 10}, {kB, 10, 20}, {kC, 20, 30}};
    program.runs = {run};
    return program;
}

constexpr uint64_t kHz = 1'000'000'000;

RunAnalysis analyse(const Program& program, const Run& run) {
    const SourceMap sources;
    KernelSites sites(sources);
    return mpmd::analyse(program, run, sites, kHz);
}

Cycle saving(const RunAnalysis& analysis, const std::string& change) {
    for (const Saving& saving : analysis.savings)
        if (saving.change == change) return saving.cycles;
    FAIL("no saving: " << change);
    return 0;
}

TEST_CASE("where the cores' time goes", "[mpmd]") {
    const Program program = three_tasks();
    const Shares shares = analyse(program, program.runs[0]).shares;
    // The AIC has no task and does not count: 2 AIVs for 350 cycles.
    CHECK(shares.total() == 700);
    CHECK(shares.compute == 60);
    CHECK(shares.memory == 30);
    CHECK(shares.waiting == 10 + 30 + 100);
    CHECK(shares.orchestration == 20 + 20);
    CHECK(shares.scheduling == 20 + 40 + 100 + 20 + 30 + 10);
    CHECK(shares.starvation == 10 + 100 + 100);
}

TEST_CASE("the critical path and what changes save", "[mpmd]") {
    const Program program = three_tasks();
    const RunAnalysis analysis = analyse(program, program.runs[0]);
    const CriticalPath& path = analysis.path;
    REQUIRE(path.steps.size() == 2);
    CHECK(program.tasks[path.steps[0].task].id == kB);
    CHECK(path.steps[0].cause == Step::Cause::kDependency);
    CHECK(path.steps[0].waited == 50);
    CHECK(program.tasks[path.steps[1].task].id == kA);
    CHECK(path.steps[1].cause == Step::Cause::kSubmit);
    CHECK(path.orchestration == 10);
    CHECK(path.tasks == 200);
    CHECK(path.hand_over == 90);
    CHECK(path.end == 50);
    CHECK(saving(analysis, "hand-over of tasks twice as fast") == 45);
    CHECK(saving(analysis, "one additional scheduler") == 35);
    CHECK(saving(analysis, "submits twice as fast") == 5);
    CHECK(analysis.kernels.at("add").count == 2);
    CHECK(analysis.kernels.at("add").least == 30);
}

TEST_CASE("the tasks of a page, their dependencies, and what processors did", "[mpmd]") {
    Program program = three_tasks();
    Phase phase;
    phase.kind = "dispatch";
    phase.begin = 30;
    phase.end = 45;
    program.runs[0].schedulers = {{}, {phase}};
    // C is a second part of B, as blocks are: both depend on A, and D on the part that ends last.
    program.tasks[1].id = kB;
    program.tasks.push_back(task(4, "max", 0, 310, 340));
    program.runs[0].tasks_end = 4;
    program.runs[0].dependencies.push_back({kB, 4});
    program.runs[0].dependencies.push_back({kB, 99});  // never ran
    CHECK(page_tasks(program) ==
          R"({"cores":["AIV00","AIV01"],"kernels":["add","mul","max"],)"
          R"("tasks":[[0,0,50,100,"r0t1"],[0,0,160,30,"r0t2"],[1,1,200,100,"r0t2"],)"
          R"([0,2,310,30,"r0t4"]],"dependencies":[[0,1],[0,2],[2,3]],)"
          R"("phases":["submit r0t1","submit r0t2","submit r0t3","dispatch"],)"
          R"("processors":[{"name":"submits","slices":[[0,0,10],[1,10,10],[2,20,10]]},)"
          R"({"name":"sched 1","slices":[[3,30,15]]}]})");
}

TEST_CASE("the runtime's records", "[mpmd]") {
    const auto folder = std::filesystem::temp_directory_path() / "ptosim_mpmd_records_test";
    std::filesystem::create_directories(folder / "scope_stats");
    // 500 MHz: a tick is 2 cycles, and counting begins with 1. Cores: 0 is the AIC, 1 AIV00.
    std::ofstream(folder / "chip_swimlane_records.json")
        << R"({"chip_swimlane_level": 4, "metadata": {"clock_freq_hz": 500000000},
  "aicore_tasks": [[1, 4294967299, 2, 81, 96, 3], [2, 2, 1, 101, 151, 5], [1, 1, 1, 26, 76, 4]],
  "aicpu_tasks": [[1, 1, 11, 81], [1, 2, 71, 101], [2, 1, 86, 166]],
  "aicpu_scheduler_phases": [[{"kind": "dispatch", "start_cycles": 11, "end_cycles": 16,
     "tasks_processed": 1, "shared_at_start": [0, 2, 0], "shared_at_end": [0, 1, 0]}]],
  "aicpu_orchestrator_phases": [[{"submit_idx": 0, "task_id": 1, "start_cycles": 1, "end_cycles": 6}]]})";
    std::ofstream(folder / "deps.json")
        << R"({"tasks": [{"task_id": "1", "kernel_ids": [-1, 7, -1]}, {"task_id": "2", "kernel_ids": [-1, 9, -1],
    "args": [{"idx": 3, "type": "INOUT", "tensor_id": "77", "dtype": "FLOAT32", "shape": [1, 16],
      "start_offset": "16", "strides": [16, 1]}]}],
  "tensors": [{"tensor_id": "77", "buffer_addr": "4096", "buffer_numel": "64", "dtype": "FLOAT32"}],
  "edges": [{"pred": "1", "succ": "2"}, {"pred": "1", "succ": "2", "source": "creator", "tensor_id": "77",
    "consumer_dtype": "FLOAT32", "consumer_shape": [2, 4], "consumer_start_offset": "8", "consumer_strides": [16, 1]}]})";
    std::ofstream(folder / "scope_stats" / "scope_stats.jsonl")
        << R"({"task_window_max": [16], "heap_max": [4096]})"
        << "\n"
        << R"({"site": "a.cpp:3", "phase": "begin", "ring": 0})"
        << "\n"
        << R"({"site": "a.cpp:3", "phase": "end", "ring": 0, "task_window_start": 1, "task_window_end": 4, "heap_start": 0, "heap_end": 512})"
        << "\n";
    Program program = three_tasks();
    Run& run = program.runs[0];
    run.folder = folder.string();
    run.dependencies.clear();
    run.submits.clear();
    read_records(program, run, 1'000'000'000);
    CHECK(run.note.empty());
    CHECK(program.tasks[0].id == 1);
    CHECK(program.tasks[0].dispatched == 20);
    CHECK(program.tasks[0].received == 42);
    CHECK(program.tasks[0].seen == 160);
    CHECK(task_name(program.tasks[1].id) == "r1t3");
    CHECK(program.tasks[2].id == 2);
    CHECK(run.dependencies == std::vector<Dependency>{{1, 2}});
    // Elements 8 to 8 + 16 + 3, of 4 bytes.
    REQUIRE(run.uses.size() == 1);
    CHECK(run.uses[0].maker == 1);
    CHECK(run.uses[0].begin == 4096 + 32);
    CHECK(run.uses[0].end == 4096 + 4 * 28);
    REQUIRE(run.reasons.size() == 2);
    CHECK(run.reasons[0].kind == Reason::Kind::kNamed);
    CHECK(run.reasons[1].kind == Reason::Kind::kMaker);
    REQUIRE(run.arguments.size() == 1);
    CHECK(run.arguments[0].task == 2);
    CHECK(run.arguments[0].index == 3);
    CHECK((run.arguments[0].reads && run.arguments[0].writes));
    CHECK(run.arguments[0].begin == 4096 + 4 * 16);
    CHECK(run.arguments[0].end == 4096 + 4 * 32);
    CHECK(run.windows == std::vector<uint64_t>{16});
    REQUIRE(run.submits.size() == 1);
    CHECK(run.submits[0].end == 10);
    REQUIRE(run.schedulers.size() == 1);
    CHECK(run.schedulers[0][0].ready_begin[1] == 2);
    REQUIRE(run.scopes.size() == 1);
    CHECK(run.scopes[0].tasks == 3);
    CHECK(run.scopes[0].heap == 512);
    std::stringstream names;
    names << std::ifstream(folder / "name_map_program.json").rdbuf();
    CHECK(names.str().find("\"7\": \"add\"") != std::string::npos);
    CHECK(names.str().find("\"9\": \"mul\"") != std::string::npos);

    // Dependencies are arrows, queues counters.
    const std::string trace = program_trace(program, 1'000'000'000);
    CHECK(trace.find("\"ph\": \"s\", \"name\": \"dependency\"") != std::string::npos);
    CHECK(trace.find("\"name\": \"ready tasks\"") != std::string::npos);
    CHECK(trace.find("\"task\": \"r1t3\"") != std::string::npos);
    // From the end of submit 1 (10 ns) on, the part of its tensor passed to task 2: 80 bytes, until its end was seen
    // (330 ns).
    const auto held = [&trace](const char* time, const char* bytes) {
        return trace.find(std::string("\"name\": \"tensors that tasks have had made\", \"pid\": 3, "
                                      "\"ts\": ") +
                          time + ", \"args\": {\"bytes\": " + bytes + "}") != std::string::npos;
    };
    CHECK(held("0.010", "80"));
    CHECK(held("0.330", "0"));
    // In a file with instructions each core has a lane of tasks, and the AICPU a process.
    const std::string events = program_events(program, 1'000'000'000);
    CHECK(events.find("\"args\": {\"name\": \"tasks\"}") != std::string::npos);
    CHECK(events.find("\"ph\": \"s\", \"name\": \"dependency\"") != std::string::npos);
    CHECK(events.find("\"name\": \"cores\"") == std::string::npos);

    // A record is missing.
    std::ofstream(folder / "chip_swimlane_records.json")
        << R"({"metadata": {"clock_freq_hz": 500000000}, "aicore_tasks": [[1, 1, 1, 26, 76, 4]]})";
    program = three_tasks();
    program.runs[0].folder = folder.string();
    read_records(program, program.runs[0], 1'000'000'000);
    CHECK(program.runs[0].note.find("have run") != std::string::npos);
    std::ofstream(folder / "deps.json") << "{";
    read_records(program, program.runs[0], 1'000'000'000);
    CHECK(program.runs[0].note.find("cannot be read") != std::string::npos);

    // The note names the file and the error in it.
    const auto note_of = [&](const char* file, const std::string& text) {
        std::ofstream(folder / file) << text;
        program = three_tasks();
        program.runs[0].folder = folder.string();
        read_records(program, program.runs[0], 1'000'000'000);
        return program.runs[0].note;
    };
    for (const char* const task : {"", "one", "1x", "-1", "18446744073709551616"}) {
        const std::string note = note_of(
            "deps.json", std::string(R"({"edges": [{"pred": ")") + task + R"(", "succ": "2"}]})");
        CHECK(note.find("deps.json cannot be read: '" + std::string(task) + "'") !=
              std::string::npos);
    }
    CHECK(note_of("chip_swimlane_records.json",
                  R"({"metadata": {"clock_freq_hz": 0}, "aicore_tasks": []})")
              .find("chip_swimlane_records.json cannot be read: clock_freq_hz is 0") !=
          std::string::npos);
    std::filesystem::remove_all(folder);
}

TEST_CASE("lanes of a chip with one AIV for each AIC", "[mpmd]") {
    Program program = three_tasks();
    program.aivs_per_cluster = 1;
    const std::string trace = program_trace(program, 1'000'000'000);
    // AIC00, AIV00, AIC01, AIV01.
    CHECK(trace.find(R"("tid": 1, "args": {"name": "AIV00"})") != std::string::npos);
    CHECK(trace.find(R"("tid": 3, "args": {"name": "AIV01"})") != std::string::npos);
}

TEST_CASE("races between tasks", "[mpmd]") {
    Program program = three_tasks();
    Run& run = program.runs[0];
    Task &a = program.tasks[0], &c = program.tasks[1], &b = program.tasks[2];
    run.given = {{0, 1000}};
    SourceMap sources;
    // B depends on A, so it may read A's output.
    a.touched = {{100, 200, true, {}}};
    b.touched = {{100, 200, false, {}}};
    CHECK(task_races(program, run, sources).empty());
    // C does not.
    c.touched = {{150, 160, false, {}}};
    std::vector<Diagnostic> found = task_races(program, run, sources);
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == "G05");
    CHECK(found[0].message.find("RAW race between tasks: add (r0t3, AIV00) reads 10 bytes at 0x96 "
                                "that add (r0t1, AIV00) writes") == 0);
    // Write after read, which simpler's own dependencies do not cover; and write after write.
    a.touched = {{500, 510, false, {}}, {600, 640, true, {}}};
    b.touched = {};
    c.touched = {{505, 508, true, {}}, {630, 650, true, {}}};
    found = task_races(program, run, sources);
    REQUIRE(found.size() == 2);
    CHECK(found[0].message.find("WAR race") == 0);
    CHECK(found[0].hint.find("deps=") != std::string::npos);
    CHECK(found[1].hint.find("deps=") == std::string::npos);
    CHECK(found[1].message.find("WAW race") == 0);
    CHECK(found[1].message.find("writes 10 bytes at 0x276") != std::string::npos);
    // Reallocated: C was submitted (20) after A had ended.
    run.given.clear();
    a.begin = 5;
    a.end = 15;
    CHECK(task_races(program, run, sources).empty());
    a.end = 25;
    CHECK(task_races(program, run, sources).size() == 2);
    // A path over another task counts, too: A before B before C.
    run.given = {{0, 1000}};
    run.dependencies = {{kA, kB}, {kB, kC}};
    CHECK(task_races(program, run, sources).empty());
}

TEST_CASE("accesses that end after their tensor", "[mpmd]") {
    Program program = three_tasks();
    Run& run = program.runs[0];
    Task &a = program.tasks[0], &c = program.tasks[1];
    run.given = {{0, 1000}};
    SourceMap sources;
    KernelSites sites(sources);
    // A gets bytes 100 to 150 of a tensor that ends at 200, and another one that follows it up to 260.
    run.arguments = {{kA, 0, true, false, 100, 150, 100, 200}, {kA, 1, true, false, 200, 260, 200, 260}};
    a.touched = {{100, 200, false, {}}, {150, 260, false, {}}};
    c.touched = {{260, 300, true, {}}};
    CHECK(end_at_tensors(program, run, sources, sites).empty());
    a.touched.push_back({240, 280, false, {}});
    CHECK(task_races(program, run, sources).size() == 1);
    const std::vector<Diagnostic> found = end_at_tensors(program, run, sources, sites);
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == "G14");
    CHECK(found[0].message ==
          "add (r0t1, AIV00) reads 20 bytes at 0x104, after the end of argument 1, which has 60 bytes");
    // It is not a race with C, which writes the bytes there.
    CHECK(task_races(program, run, sources).empty());
    // Accesses outside of the tensors of a task are not checked: a workspace is not one of its tensors.
    a.touched = {{900, 950, true, {}}};
    CHECK(end_at_tensors(program, run, sources, sites).empty());
}

TEST_CASE("a run that has failed", "[mpmd]") {
    Program program = three_tasks();
    Participant core, scheduler, orchestrator;
    core.is_core = true;
    scheduler.result = 0;
    orchestrator.result = 0;
    const Participants participants = {&core, &scheduler, &orchestrator};
    CHECK(failure_of(participants).what.empty());
    scheduler.result = -2;
    orchestrator.result = -1;  // its code has thrown after that
    setenv("PTO2_RING_HEAP", "65536", 1);
    const RunFailure failure = failure_of(participants);
    unsetenv("PTO2_RING_HEAP");
    CHECK(failure.what ==
          "the runtime ended it with code 2: its heap has no room for the next task's tensors");
    CHECK(failure.hint.find("set PTO2_RING_HEAP (ring_heap of PyPTO's RunConfig) to more than 65536") == 0);
    scheduler.result = -9;
    CHECK(failure_of(participants).what == "the runtime ended it with code 9");
    CHECK(failure_of(participants).hint.empty());
    CHECK(thrown_by_processor("index < count\nStack trace:\n  #0 libptosim.so").message ==
          "the code of a processor threw an exception: index < count");

    Run& run = program.runs[0];
    run.failure = failure.what;
    run.failure_hint = failure.hint;
    run.under_way = {"AIV01 runs mul, since 0.200 us"};
    const std::vector<RunAnalysis> analyses = {analyse(program, run)};
    const std::string report = program_report(program, analyses, kHz);
    CHECK(report.find("# Program\n\n**Run 0 has failed**: the runtime ended it with code 2") == 0);
    CHECK(report.find("Tasks that had ended: 2 of add, 1 of mul.") != std::string::npos);
    CHECK(report.find("not timed") == std::string::npos);
    program.chip = "3";
    CHECK(program_report(program, analyses, kHz).find("Chip 3 of several. Each chip has a separate clock, so waits for "
                                                      "another chip are not timed") != std::string::npos);
    CHECK(report.find("- AIV01 runs mul, since 0.200 us, and has not ended") != std::string::npos);
    CHECK(limits_text(run, analyses[0], 0, kHz).find("run 0 has failed: ") == 0);
    CHECK(limits_of(program, analyses, {}, kHz).failure == failure.what);
}

TEST_CASE("memory that the runtime allocates for tasks", "[mpmd]") {
    Program program = three_tasks();
    Run& run = program.runs[0];
    Task &a = program.tasks[0], &b = program.tasks[2];
    SourceMap sources;
    // A tensor of 100 bytes is allocated for A and passed to B.
    run.uses = {{kA, kB, 100, 200}};
    a.touched = {{100, 200, true, {}}};
    b.touched = {{100, 200, false, {}}};
    CHECK(heap_misuse(program, run, sources).empty());
    // Its last bytes are not written.
    a.touched = {{100, 180, true, {}}};
    std::vector<Diagnostic> found = heap_misuse(program, run, sources);
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == "G06");
    CHECK(found[0].message ==
          "mul (r0t2, AIV01) reads 20 bytes at 0xb4 that have not been written since they were allocated for add "
          "(r0t1)");
    // The orchestrator writes them, after A's submit (0 to 10) and before B's (10 to 20).
    run.stores = {{15, 180, 200}};
    CHECK(heap_misuse(program, run, sources).empty());
    // The allocation overwrites earlier stores.
    run.stores = {{0, 180, 200}};
    run.submits[0].begin = 5;
    CHECK(heap_misuse(program, run, sources).empty() == false);
    // Bytes outside of tensors allocated for tasks are not checked.
    a.touched = {};
    b.touched = {{500, 600, false, {}}};
    CHECK(heap_misuse(program, run, sources).empty());
}

TEST_CASE("memory that the runtime gives to another task", "[mpmd]") {
    Program program = three_tasks();
    Run& run = program.runs[0];
    Task &a = program.tasks[0], &c = program.tasks[1], &b = program.tasks[2];
    SourceMap sources;
    // Submits: A, then C, then B. C gets the bytes of A.
    run.submits = {{kA, 0, 10}, {kC, 170, 180}, {kB, 190, 195}};
    a.touched = {{100, 200, true, {}}};
    c.touched = {{100, 200, true, {}}};
    run.uses = {{kA, 9, 100, 200}, {kC, 9, 100, 200}, {kC, kB, 100, 200}};
    b.touched = {{120, 140, false, {}}};
    run.submits.push_back({9, 340, 345});
    CHECK(heap_misuse(program, run, sources).empty());
    // A's tensor, which no longer exists, is passed to B.
    run.uses[2].maker = kA;
    std::vector<Diagnostic> found = heap_misuse(program, run, sources);
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == "G08");
    CHECK(found[0].message ==
          "mul (r0t2, AIV01) reads 20 bytes at 0x78 as those of add (r0t1), which the runtime has "
          "freed and given to add (r0t3)");
    // A runs until 150, so at 140 its memory must not be given to another task.
    run.uses[2].maker = kC;
    run.submits[1] = {kC, 130, 140};
    found = heap_misuse(program, run, sources);
    REQUIRE(found.size() == 1);
    CHECK(found[0].message ==
          "add (r0t1, AIV00) writes 100 bytes at 0x64, and while it runs the runtime gives them to "
          "add (r0t3)");
}

}  // namespace
}  // namespace ptosim::mpmd
