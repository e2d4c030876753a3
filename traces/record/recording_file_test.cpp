// Tests that a recording on disk returns the recorded events, as far as it goes.
#include <sys/resource.h>

#include <catch2/catch.hpp>

#include "traces/analyse/analysis.h"
#include "traces/record/recording_cache.h"
#include "traces/record/recording_format.h"
#include "traces/record/sink_thread.h"
#include "traces/record/test_events.h"
#include "traces/traces.h"
#include "traces/write/report.h"

using namespace ptosim;
using namespace ptosim::test;

namespace {

// Plays a tape into a file; `finish` as the program does it after a run.
std::filesystem::path record(const Tape& tape, const Folder& folder, bool finish = true) {
    const std::filesystem::path path = folder.path / kRecordingName;
    RecordingWriter writer(path);
    Recorder recorder(writer);
    tape.play(recorder);
    if (finish) recorder.finish();
    writer.close();
    return path;
}

void write(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

std::string all_files(const Recording& recording) {
    Folder folder;
    std::string text;
    for (const auto& path :
         write_traces(recording, folder.path, "chrome,lanes,summary,report,json"))
        text += read(path);
    return text;
}

// Many loads on one core, one after the other.
Tape long_run(unsigned count) {
    Tape tape;
    const Instruction load = tile_instruction(Opcode::kTLOAD, 10);
    tape.launch(0, 100 * count, {kAiv0}).run(kAiv0, 0, 0, 100 * count);
    for (unsigned i = 0; i < count; ++i)
        tape.instruction(kAiv0, Pipe::kMTE2, i, load, 100 * i, 100 * i, 100 * i + 60, 100 * i + 80);
    return tape;
}

}  // namespace

TEST_CASE("what a kept recording gives is what is on disk, whether it was kept or not") {
    for (const Tape& tape : {small_run(1'850'000'000), deadlock_run(true), long_run(300)})
        for (const size_t most : {size_t{0}, size_t{20}, RecordingCache::kMaxRecords}) {
            Folder folder;
            RecordingWriter writer(folder.path / kRecordingName);
            RecordingCache kept(&writer, most);
            Recorder recorder(kept);
            tape.play(recorder);
            recorder.finish();
            writer.close();
            CHECK(all_files(kept.take(folder.path)) == all_files(read_recording(folder.path)));
        }
}

TEST_CASE("a recording that was kept is not read back") {
    Folder folder;
    RecordingBuilder elsewhere;
    RecordingCache kept(&elsewhere);
    Recorder recorder(kept);
    long_run(300).play(recorder);
    recorder.finish();
    CHECK(kept.take(folder.path).instructions.size() == 300);
    RecordingCache dropped(&elsewhere,
                           300);  // with the core, the launch and the rest there are more
    Recorder again(dropped);
    long_run(300).play(again);
    again.finish();
    CHECK(code_of([&] { dropped.take(folder.path); }) == "I01");
}

TEST_CASE("every file made from a recording on disk is the one made from memory") {
    for (const Tape& tape : {small_run(1'850'000'000), deadlock_run(true), deadlock_run(false),
                             library_run()}) {
        Folder folder;
        Recorder memory;
        tape.play(memory);
        const Recording disk = read_recording(record(tape, folder));
        CHECK(disk.gaps.empty());
        CHECK(all_files(disk) == all_files(memory.recording()));
        CHECK(disk.sources.line({0, 1, 10}) == memory.recording().sources.line({0, 1, 10}));
        // The folder names its recording.
        CHECK(all_files(read_recording(folder.path)) == all_files(disk));
    }
}

TEST_CASE("calls that a kernel notes while it runs are recorded") {
    Folder folder;
    Tape tape = long_run(3);
    tape.call(50, 10, "TLOAD", "Load").call(60, 10, "no instruction", "Load");
    Recorder memory;
    tape.play(memory);
    RecordingWriter writer(folder.path / kRecordingName);
    SinkThread thread(writer);
    Recorder recorder(thread);
    tape.play(recorder);
    recorder.finish();
    thread.finish();
    writer.close();
    for (const Recording& recording : {read_recording(folder.path), memory.recording()}) {
        CHECK(recording.gaps.empty());
        const SourceMap::Call* call = recording.sources.call({0, 7, 10}, Opcode::kTLOAD);
        REQUIRE(call != nullptr);
        CHECK(call->function == "Load");
        CHECK(call->header == "kernel_library.h:1");
        CHECK(recording.sources.call({0, 7, 10}, Opcode::kTADD) == nullptr);
        CHECK(recording.sources.call({0, 7, 11}, Opcode::kTLOAD) == nullptr);
    }
}

TEST_CASE("a recording that was cut off is readable up to where it goes, and says so") {
    Folder folder;
    const std::filesystem::path path = record(long_run(9000), folder);
    const std::string whole = read(path);
    const Recording full = read_recording(path);
    REQUIRE(full.instructions.size() == 9000);
    size_t least = 9000;
    for (size_t bytes : {whole.size() - 1, whole.size() / 2, whole.size() / 10, size_t{40}}) {
        write(path, whole.substr(0, bytes));
        const Recording cut = read_recording(path);
        REQUIRE(cut.gaps.size() == 1);
        CHECK(cut.gaps[0].find("cut off") != std::string::npos);
        CHECK(cut.gaps[0].find("cycle " + std::to_string(cut.end)) != std::string::npos);
        CHECK(cut.ended_early);
        CHECK(cut.instructions.size() <= least);
        least = cut.instructions.size();
        for (size_t i = 0; i < cut.instructions.size(); ++i)
            REQUIRE(cut.instructions[i].started == full.instructions[i].started);
        CHECK(report_markdown(cut, analyse(cut)).find("**Incomplete:**") != std::string::npos);
    }
    CHECK(least == 0);
    CHECK_THROWS_AS(read_reportable(path), DiagnosticError);
    write(path, whole.substr(0, whole.size() / 2));
    CHECK(read_reportable(path).instructions.size() > 0);
}

TEST_CASE("a flipped bit ends a recording there") {
    Folder folder;
    const std::filesystem::path path = record(long_run(9000), folder);
    std::string bytes = read(path);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
    write(path, bytes);
    const Recording cut = read_recording(path);
    REQUIRE(cut.gaps.size() == 1);
    CHECK(cut.gaps[0].find("damaged") != std::string::npos);
    CHECK(cut.instructions.size() > 1000);
    CHECK(cut.instructions.size() < 8000);
}

TEST_CASE("the length of a block is not believed beyond the end of the file") {
    Folder folder;
    const std::filesystem::path path = record(small_run(), folder);
    std::string bytes = read(path);
    const size_t first_block = kMagicBytes + 4;
    put32(reinterpret_cast<uint8_t*>(bytes.data() + first_block), kMostBlockBytes);
    write(path, bytes);

    const auto most_memory = [] {  // that the process has had so far, in KiB
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    const long before = most_memory();
    const Recording r = read_recording(path);
    CHECK(r.gaps.at(0).find("cut off") != std::string::npos);
    CHECK(most_memory() - before < 512 * 1024);
}

TEST_CASE("a flag between pipes that no core has is left out") {
    Folder folder;
    const std::filesystem::path path = folder.path / kRecordingName;
    RecordingWriter writer(path);
    writer.core(kAiv0);
    OperandSet pipes, no_pipes;
    no_pipes.items[1].memory = OperandSet::kGlobalMemory;
    writer.operands(pipes);
    writer.operands(no_pipes);
    for (uint32_t set : {0u, 1u}) {
        InstructionRecord flag;
        flag.opcode = Opcode::kSET_FLAG;
        flag.sequence = flag.operands = set;
        writer.instruction(flag);
    }
    writer.end(100, false);
    writer.close();

    const Recording r = read_recording(path);
    CHECK(r.instructions.size() == 1);
    REQUIRE(r.gaps.size() == 1);
    CHECK(r.gaps[0].find("left out") != std::string::npos);
}

TEST_CASE("times that no run reaches are damage") {
    Folder folder;
    const std::filesystem::path path = folder.path / kRecordingName;
    RecordingWriter writer(path);
    writer.core(kAiv0);
    writer.operands({});
    for (const Cycle time : {Cycle{50}, kLatestTime, kLatestTime + 1, ~Cycle{0} - 1}) {
        InstructionRecord load;
        load.opcode = Opcode::kTLOAD;
        load.flags = InstructionRecord::kStarted | InstructionRecord::kCompleted;
        load.issued = load.started = load.pipe_free = load.completed = time;
        writer.instruction(load);
    }
    writer.end(~Cycle{0} - 1, false);
    writer.close();

    const Recording r = read_recording(path);
    CHECK(r.instructions.size() == 2);
    CHECK(r.end == kLatestTime);
    CHECK_FALSE(all_files(r).empty());
}

TEST_CASE("a place in a file that a recording does not have is unknown") {
    Sources sources;
    sources.restore({"a.pto", "one\ntwo\n"});
    const SourceLocation here{0, 0, 2}, nowhere{82, 0, 2};
    CHECK(sources.text(here) == "a.pto:2");
    CHECK(sources.line(here) == "two");
    CHECK(sources.text(nowhere).empty());
    CHECK(sources.line(nowhere).empty());
    CHECK(sources.origin(nowhere).empty());
}

TEST_CASE("a run that was broken off has a recording without an end") {
    Folder folder;
    const Recording r = read_recording(record(small_run(), folder, false));
    REQUIRE(r.gaps.size() == 1);
    CHECK(r.gaps[0].find("no end") != std::string::npos);
    CHECK(r.instructions.size() == 5);
    CHECK(r.ended_early);
}

TEST_CASE("another version is read as far as it is understood") {
    Folder folder;
    const std::filesystem::path path = record(small_run(), folder);
    std::string bytes = read(path);
    bytes[16] = 9;  // the version, after the name
    write(path, bytes);
    const Recording r = read_recording(path);
    REQUIRE(r.gaps.size() == 1);
    CHECK(r.gaps[0].find("version 9") != std::string::npos);
    CHECK(r.instructions.size() == 5);
}

TEST_CASE("what is no recording is refused") {
    Folder folder;
    write(folder.path / "x", "{\"traceEvents\":[]} and some more");
    CHECK(code_of([&] { read_recording(folder.path / "x"); }) == "I41");
    CHECK(code_of([&] { read_recording(folder.path / "nothing"); }) == "I01");
    CHECK(code_of([&] { read_recording(folder.path); }) == "I01");
    CHECK(code_of([&] { parse_formats("chrome,cinema"); }) == "I42");
    CHECK(parse_formats("none").empty());
    CHECK(parse_formats("all").size() == trace_formats().size());
}

TEST_CASE("a record in memory is at most 100 bytes, and a recorder to disk keeps none") {
    CHECK(sizeof(InstructionRecord) <= 100);
    Folder folder;
    const auto size = std::filesystem::file_size(record(long_run(5000), folder));
    CHECK(size < 5000 * 40);
}

TEST_CASE("what costs rest on is on disk, and so what the time of the run does") {
    Folder folder;
    const std::filesystem::path path = folder.path / kRecordingName;
    ChipFacts facts;
    facts.grades.scalar = TimeGrade::kSilicon;
    facts.grades.error.fill(35);
    facts.aics = uint64_t{1} << 40 | 24;  // as a damaged recording may have it
    {
        RecordingWriter writer(path);
        writer.facts(facts);
        Recorder recorder(writer);
        recorder.basis_from([](const Instruction& instruction) {
            CHECK(instruction.opcode == Opcode::kTLOAD);
            CostBasis basis;
            basis.parts[static_cast<size_t>(TimeGrade::kModelled)] = 1000;
            basis.transfer_cycles = 60;
            return basis;
        });
        long_run(3).play(recorder);
        recorder.finish();
        writer.close();
    }
    const Recording r = read_recording(path);
    CHECK(r.facts.grades.scalar == TimeGrade::kSilicon);
    CHECK(r.facts.grades.error == facts.grades.error);
    CHECK(r.facts.aics == 24);
    REQUIRE(r.costs.size() == 1);  // all three are of one opcode and one set of operands
    CHECK(r.costs[0].opcode == Opcode::kTLOAD);
    CHECK(r.costs[0].basis.transfer_cycles == 60);
    const TimeBasis basis = analyse(r).basis;
    CHECK(basis.share(TimeGrade::kModelled) > 0);
    CHECK(basis.range == 35);  // each grade is off as much
}
