// recording.bin: a run on disk, written during the run (docs/formats.md).
//
// A sequence of records in blocks with a checksum. Every record has its kind and length: a reader
// skips unknown kinds and fields, and missing fields are zero, so that other versions can be read
// as far as the two agree. A truncated file is valid up to its last whole block.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

#include "traces/record/record_sink.h"

namespace ptosim {

inline constexpr uint32_t kRecordingVersion = 2;
inline constexpr std::string_view kRecordingName = "recording.bin";

enum class RecordKind : uint8_t;

// Fails with DiagnosticError (I40).
class RecordingWriter : public RecordSink {
 public:
    // When a failed write is reported. Either way nothing is written after it.
    enum class Failure : uint8_t { kAtOnce, kAtClose };
    explicit RecordingWriter(std::filesystem::path path, Failure failure = Failure::kAtOnce);
    ~RecordingWriter() override;
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    void facts(const ChipFacts& facts) override;
    void core(CoreId core) override;
    void source(const Sources::File& file) override;
    void call(const CallRecord& record) override;
    void operands(const OperandSet& set) override;
    void cost(const CostRecord& record) override;
    void launch_begin(const LaunchRecord& launch) override;
    void launch_end(Cycle time) override;
    void instruction(const InstructionRecord& record) override;
    void wait(const WaitRecord& record) override;
    void flag(const FlagRecord& record) override;
    void run_begin(const RunRecord& record) override;
    void run(const RunRecord& record) override;
    void diagnostic(const Diagnostic& diagnostic) override;
    void output(const OutputRecord& output) override;
    void tile(const TileValues& values) override;
    void values(const ValuesRecord& record) override;
    void mismatch(const MismatchRecord& record) override;
    void program(const ProgramRecord& record) override;
    void warp(const WarpRecord& record) override;
    void threads(const ThreadRecord& record) override;
    void rerun(const RerunRecord& record) override;
    void assumption(const std::string& path) override;
    void end(Cycle time, bool early) override;

    void flush();  // all records so far are in the file
    void close();  // flushes; the last call

 private:
    using Kind = RecordKind;
    class Record;
    static void put(Record& record, const Site& site);
    static void put(Record& record, const RunRecord& run);
    bool write_block();
    [[noreturn]] void fail(int error);

    // Values that many records of a kind share are written once, with a number that they refer to.
    template <size_t kWords>
    class Numbers;
    uint64_t form_of(const InstructionRecord& i);
    uint64_t cause_of(const WaitCause& cause);
    uint64_t way_of(const FlagRecord& f);

    std::filesystem::path path_;
    Failure failure_;
    std::FILE* file_ = nullptr;
    int error_ = 0;               // of the first write that failed
    std::vector<uint8_t> block_;  // of which so much is used
    size_t used_ = 0;
    uint32_t records_ = 0;  // in the block
    std::unique_ptr<Numbers<2>> forms_;
    std::unique_ptr<Numbers<4>> causes_;
    std::unique_ptr<Numbers<3>> ways_;
};

// `path` is a recording or its folder. Unreadable parts are listed in Recording::gaps. Fails with
// DiagnosticError: I01 if the file is missing, I41 if it is not a recording.
Recording read_recording(const std::filesystem::path& path);
// Like read_recording(), but also fails (I41) if the file was cut off or damaged before its first
// instruction, because there is nothing to report.
Recording read_reportable(const std::filesystem::path& path);
// The file that read_recording() reads: `given` may be the folder of a recorded run.
std::filesystem::path recording_path(const std::filesystem::path& given);

}  // namespace ptosim
