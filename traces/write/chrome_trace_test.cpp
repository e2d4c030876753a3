#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "traces/analyse/lane_slices.h"
#include "traces/record/test_events.h"
#include "traces/traces.h"
#include "traces/write/chrome_trace.h"

using namespace ptosim;
using namespace ptosim::test;
using nlohmann::json;

namespace {

json trace_of(const Tape& tape) {
    Folder folder;
    Recorder recorder;
    tape.play(recorder);
    write_chrome_trace(recorder.recording(), folder.path / "trace.json");
    return json::parse(read(folder.path / "trace.json"));
}

const json& named(const json& trace, const std::string& name) {
    for (const json& event : trace["traceEvents"])
        if (event["name"] == name) return event;
    FAIL("no event " + name);
    return trace;
}

// Time as Perfetto reads it: whole nanoseconds, by way of a double (google/perfetto
// src/trace_processor/importers/json/json_utils.cc CoerceToTs).
int64_t nanoseconds(const json& value) {
    return static_cast<int64_t>(value.get<double>() * 1000.0);
}

void require_no_overlaps(const json& trace) {
    std::map<int, std::vector<std::array<double, 2>>> exact;
    std::map<int, std::vector<std::array<int64_t, 2>>> rounded;
    for (const json& e : trace["traceEvents"]) {
        if (e["ph"] != "X") continue;
        exact[e["tid"]].push_back({e["ts"], e["ts"].get<double>() + e["dur"].get<double>()});
        rounded[e["tid"]].push_back(
            {nanoseconds(e["ts"]), nanoseconds(e["ts"]) + nanoseconds(e["dur"])});
    }
    const auto check = [](auto& lanes) {
        for (auto& [lane, slices] : lanes) {
            std::stable_sort(slices.begin(), slices.end());
            for (size_t i = 1; i < slices.size(); ++i) REQUIRE(slices[i][0] >= slices[i - 1][1]);
        }
    };
    check(exact);
    check(rounded);
}

}  // namespace

TEST_CASE("slices of a lane do not overlap, for a reader of doubles and for one of nanoseconds") {
    for (const uint64_t clock : {1'000'000'000ull, 1'850'000'000ull, 1'500'000'000ull})
        require_no_overlaps(trace_of(small_run(clock)));
    require_no_overlaps(trace_of(deadlock_run(true)));
    // Back to back, at every length: where rounding would show.
    for (const uint64_t clock : {1'000'000'000ull, 1'850'000'000ull}) {
        Tape tape{clock};
        std::mt19937 random{1};
        Cycle now = 0;
        for (uint64_t i = 0; i < 5000; ++i) {
            const Cycle end = now + 1 + random() % 2000;
            tape.instruction(kAiv0, Pipe::kV, i, tile_instruction(Opcode::kTADD, 1), now, now, end,
                             end);
            now = end;
        }
        tape.launch(0, now, {kAiv0});
        require_no_overlaps(trace_of(tape));
    }
}

TEST_CASE("a machine that reports overlaps is drawn without them") {
    Tape tape;
    const Instruction wait = flag_instruction(Opcode::kWAIT_FLAG, Pipe::kMTE2, Pipe::kV, 0, 12);
    tape.launch(0, 100, {kAiv0}).run(kAiv0, 0, 0, 100);
    tape.instruction(kAiv0, Pipe::kV, 0, tile_instruction(Opcode::kTADD, 1), 0, 10, 50, 60);
    tape.instruction(kAiv0, Pipe::kV, 1, tile_instruction(Opcode::kTADD, 2), 0, 30, 40, 61);
    tape.wait(kAiv0, Pipe::kV, BlockReason::kFlag, 2, &wait, 45, 70);
    tape.instruction(kAiv0, Pipe::kV, 2, wait, 0, 45, 70, 70);
    require_no_overlaps(trace_of(tape));
    Recorder recorder;
    tape.play(recorder);
    const Lane lane = lane_slices(recorder.recording())[0][static_cast<size_t>(Pipe::kV)];
    REQUIRE(lane.size() == 2);
    CHECK(lane[0].end == 50);
    CHECK(lane[1].begin == 50);
    CHECK(lane[1].end == 70);
    CHECK(lane[1].activity == Activity::kWait);
}

TEST_CASE("cores are processes in the order of clusters, pipes are threads in their order") {
    Tape tape;
    const CoreId aic1{CoreType::kAIC, 1}, aiv2{CoreType::kAIV, 2};
    tape.launch(0, 10, {aic1, kAiv1, aiv2, kAic0, kAiv0});
    const json trace = trace_of(tape);
    std::map<int, std::string> processes;
    std::map<int, std::map<int, std::string>> threads;
    std::map<int, int> order;
    for (const json& e : trace["traceEvents"]) {
        if (e["name"] == "process_sort_index") order[e["pid"]] = e["args"]["sort_index"];
        if (e["name"] == "process_name") processes[e["pid"]] = e["args"]["name"];
        if (e["name"] == "thread_name") threads[e["pid"]][e["tid"]] = e["args"]["name"];
    }
    std::map<int, std::string> shown;
    for (const auto& [pid, index] : order) shown[index] = processes[pid];
    std::string text;
    for (const auto& [index, name] : shown) text += name + " ";
    CHECK(text == "ascend910b1 AIC00 AIV00 AIV01 AIC01 AIV02 ");
    for (const auto& [pid, lanes] : threads) {
        std::string pipes;
        for (const auto& [tid, name] : lanes) {
            pipes += name + " ";
            CHECK(tid != pid);
        }
        if (processes[pid] == "AIC00") CHECK(pipes == "block S MTE2 MTE1 M FIX MTE3 ");
        if (processes[pid] == "AIV02") CHECK(pipes == "block S MTE2 V MTE3 ");
    }
}

TEST_CASE("a slice has the times of its instruction") {
    const json trace = trace_of(small_run(1'850'000'000));
    const json& load = named(trace, "TLOAD");
    CHECK(load["cat"] == "MTE2");
    CHECK(load["ts"].get<double>() == Approx(102 * 1e6 / 1.85e9).margin(1e-6));
    CHECK(std::llround(load["dur"].get<double>() * 1850) == 50);
    CHECK(load["args"]["cycles"] == 50);
    CHECK(load["args"]["issue"] == 102);
    CHECK(load["args"]["complete"] == 160);
    CHECK(load["args"]["line"] == "add.pto:10");
    CHECK(load["args"]["bytes"] == 4096);
    const json& wait = named(trace, "wait MTE2->V #0");
    CHECK(wait["cat"] == "wait");
    CHECK(wait["args"]["cycles"] == 54);
    CHECK(wait["args"]["line"] == "add.pto:12");
    CHECK(wait["args"]["released_at"] == "add.pto:11");
    CHECK(named(trace, "block 3")["args"]["cycles"] == 85);
    CHECK(named(trace, "scalar")["args"]["cycles"] == 12);
    for (const json& e : trace["traceEvents"])
        if (e["ph"] == "X") CHECK(e["args"]["cycles"] > 0);
}

TEST_CASE("calls of a library contain what they issue and wait for") {
    const json trace = trace_of(library_run());
    std::vector<json> lane;  // of pipe V
    for (const json& e : trace["traceEvents"])
        if (e["ph"] == "X" && e["tid"] == named(trace, "Add")["tid"]) lane.push_back(e);
    std::string names;
    for (const json& e : lane) names += e["name"].get<std::string>() + "; ";
    // Each call comes before its parts, which begin and end within it.
    REQUIRE(names == "DeQue; wait MTE2->V #0; Add; TADD; TMUL; TADD; ");
    const auto begin = [&](size_t i) { return nanoseconds(lane[i]["ts"]); };
    const auto length = [&](size_t i) { return lane[i]["args"]["cycles"].get<int64_t>(); };
    CHECK(begin(0) == 20);
    CHECK(length(0) == 50);
    CHECK(begin(2) == 70);
    CHECK(length(2) == 30);
    CHECK(begin(3) == 70);
    CHECK(begin(4) + length(4) == 100);
    CHECK(lane[2]["dur"] == 0.029999);
    CHECK(lane[2]["cat"] == "call");
    CHECK(lane[2]["args"]["line"] == "add.pto:5");
    CHECK(lane[2]["args"]["of"] == "TADD, TMUL");
    CHECK(lane[2]["args"]["instructions"] == 2);
    CHECK(lane[4]["args"]["header"] == "kernel_library.h:1");
    CHECK(!lane[5]["args"].contains("header"));
    CHECK(named(trace, "DataCopy")["args"]["of"] == "TLOAD");
    const json& tensors = named(trace, "queue (TQue)");
    CHECK(tensors["ph"] == "C");
}

TEST_CASE("the same instructions in another call are another slice") {
    Tape tape;
    tape.launch(0, 90, {kAiv0}).call(1, 5, "TADD", "Add");
    const Instruction add = tile_instruction(Opcode::kTADD, 5);
    for (uint64_t i : {0, 1, 3, 4})  // between them is something on another pipe
        tape.instruction(kAiv0, Pipe::kV, i, add, 10 * i, 10 * i, 10 * i + 10, 10 * i + 10);
    tape.instruction(kAiv0, Pipe::kMTE2, 2, tile_instruction(Opcode::kTLOAD, 6), 20, 20, 30, 30);
    const json trace = trace_of(tape);
    std::string cycles;
    for (const json& e : trace["traceEvents"])
        if (e["name"] == "Add") cycles += e["args"]["cycles"].dump() + " ";
    CHECK(cycles == "20 20 ");
}

TEST_CASE("waits for a full queue with little between them are one slice") {
    // 40 + 38 cycles of waiting with 2 of work between; 30 cycles later another one.
    Tape tape;
    const Instruction add = tile_instruction(Opcode::kTADD, 13);
    tape.launch(0, 200, {kAiv0}).run(kAiv0, 0, 0, 200);
    for (const auto& [begin, end] : {std::pair{10, 50}, {52, 90}, {120, 150}})
        tape.wait(kAiv0, Pipe::kS, BlockReason::kQueueFull, 0, &add, static_cast<Cycle>(begin),
                  static_cast<Cycle>(end));
    std::vector<json> waits;
    uint64_t work = 0;
    const json trace = trace_of(tape);
    for (const json& e : trace["traceEvents"]) {
        if (e["ph"] != "X") continue;
        if (e["cat"] == "wait") waits.push_back(e);
        if (e["cat"] == "S") work += e["args"]["cycles"].get<uint64_t>();
    }
    REQUIRE(waits.size() == 2);
    CHECK(waits[0]["args"]["waits"] == 2);
    CHECK(waits[0]["args"]["cycles"] == 78);
    CHECK(waits[0]["args"]["work_cycles"] == 2);
    CHECK(std::llround(waits[0]["dur"].get<double>() * 1000) == 80);
    CHECK(waits[1]["args"]["cycles"] == 30);
    CHECK_FALSE(waits[1]["args"].contains("waits"));
    CHECK(work == 10 + 30 + 50);
}

namespace {

// The slice that encloses an event on its lane, strictly before its end.
std::string under(const json& trace, const json& event) {
    for (const json& e : trace["traceEvents"]) {
        if (e["ph"] != "X" || e["tid"] != event["tid"]) continue;
        const double begin = e["ts"], end = begin + e["dur"].get<double>();
        if (event["ts"] >= begin && event["ts"] < end) return e["name"];
    }
    return "nothing";
}

}  // namespace

TEST_CASE("an arrow leads from the producer to the wait") {
    const json trace = trace_of(small_run());
    std::vector<json> ends;
    for (const json& e : trace["traceEvents"])
        if (e["ph"] == "s" || e["ph"] == "f") ends.push_back(e);
    REQUIRE(ends.size() == 2);
    CHECK(ends[0]["id"] == ends[1]["id"]);
    CHECK(ends[1]["bp"] == "e");
    CHECK(under(trace, ends[0]) == "TLOAD");
    CHECK(under(trace, ends[1]) == "wait MTE2->V #0");
    CHECK(ends[0]["ts"] <= ends[1]["ts"]);
}

TEST_CASE("a signal draws an arrow to every core that took it") {
    const json trace = trace_of(deadlock_run(true));
    unsigned starts = 0;
    std::set<int> reached;
    for (const json& e : trace["traceEvents"]) {
        if (e["ph"] == "s") {
            ++starts;
            CHECK(under(trace, e) == "TLOAD");
        }
        if (e["ph"] == "f") {
            reached.insert(e["pid"].get<int>());
            CHECK(under(trace, e) == "wait signal #3 from AIC00");
        }
    }
    CHECK(starts == 2);
    CHECK(reached.size() == 2);
}

TEST_CASE("a flag that was set in time points at the work that follows its wait") {
    Tape tape;
    const Instruction set = flag_instruction(Opcode::kSET_FLAG, Pipe::kMTE2, Pipe::kV, 0, 11);
    const Instruction wait = flag_instruction(Opcode::kWAIT_FLAG, Pipe::kMTE2, Pipe::kV, 0, 12);
    tape.launch(0, 100, {kAiv0});
    tape.instruction(kAiv0, Pipe::kMTE2, 0, tile_instruction(Opcode::kTLOAD, 10), 0, 5, 20, 22);
    tape.flag(22, kAiv0, set, 1, true);
    tape.flag(50, kAiv0, wait, 2, false);
    tape.instruction(kAiv0, Pipe::kV, 2, wait, 0, 50, 50, 50);
    tape.instruction(kAiv0, Pipe::kV, 3, tile_instruction(Opcode::kTADD, 13), 0, 50, 60, 65);
    const json trace = trace_of(tape);
    for (const json& e : trace["traceEvents"])
        if (e["ph"] == "f") CHECK(under(trace, e) == "TADD");
}

TEST_CASE("a diagnostic is an instant on the lane that it names") {
    const json trace = trace_of(deadlock_run(true));
    const json& instant = named(trace, "E01 deadlock");
    CHECK(instant["ph"] == "i");
    CHECK(instant["ts"] == 0.5);
    CHECK(instant["args"]["line"] == "add.pto:31");
    CHECK(instant["tid"] == named(trace, "wait MTE3->V #1")["tid"]);
    CHECK(named(trace, "wait MTE3->V #1")["args"]["unfinished"] == true);
}
