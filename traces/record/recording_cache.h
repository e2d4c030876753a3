// A write-through cache of a recording: records go to disk and, as long as there are few, also stay
// in memory, so that reports at the end of the run need not read the file back.
#pragma once

#include <filesystem>
#include <optional>

#include "traces/record/record_sink.h"

namespace ptosim {

class RecordingCache : public RecordSink {
 public:
    static constexpr size_t kMaxRecords = size_t{1} << 18;  // records: 20 MB

    // All records go to `to` (null: nowhere else), which must outlive this. Beyond `limit` records
    // the cache is dropped.
    explicit RecordingCache(RecordSink* to, size_t limit = kMaxRecords) : to_{to}, limit_{limit} {
        memory_.expect(limit);
    }

    // After the end: the recording from memory or, if it was dropped, from `path`. Fails as
    // read_recording().
    Recording take(const std::filesystem::path& path);
    // Without a path: nothing if it was dropped.
    std::optional<Recording> take();

    void facts(const ChipFacts& facts) override { pass(&RecordSink::facts, facts); }
    void core(CoreId core) override { pass(&RecordSink::core, core); }
    void source(const Sources::File& file) override { pass(&RecordSink::source, file); }
    void call(const CallRecord& record) override { pass(&RecordSink::call, record); }
    void operands(const OperandSet& set) override { pass(&RecordSink::operands, set); }
    void cost(const CostRecord& record) override { pass(&RecordSink::cost, record); }
    void launch_begin(const LaunchRecord& launch) override {
        pass(&RecordSink::launch_begin, launch);
    }
    void launch_end(Cycle time) override { pass(&RecordSink::launch_end, time); }
    void instruction(const InstructionRecord& record) override {
        if (to_ != nullptr) to_->instruction(record);
        if (within_limit()) memory_.instruction(record);
    }
    void wait(const WaitRecord& record) override {
        if (to_ != nullptr) to_->wait(record);
        if (within_limit()) memory_.wait(record);
    }
    void flag(const FlagRecord& record) override {
        if (to_ != nullptr) to_->flag(record);
        if (within_limit()) memory_.flag(record);
    }
    void run_begin(const RunRecord& record) override {
        if (to_ != nullptr) to_->run_begin(record);
    }
    void run(const RunRecord& record) override { pass(&RecordSink::run, record); }
    void diagnostic(const Diagnostic& diagnostic) override {
        pass(&RecordSink::diagnostic, diagnostic);
    }
    void output(const OutputRecord& output) override { pass(&RecordSink::output, output); }
    void tile(const TileValues& values) override { pass(&RecordSink::tile, values); }
    void values(const ValuesRecord& record) override { pass(&RecordSink::values, record); }
    void mismatch(const MismatchRecord& record) override { pass(&RecordSink::mismatch, record); }
    void program(const ProgramRecord& record) override { pass(&RecordSink::program, record); }
    void warp(const WarpRecord& record) override { pass(&RecordSink::warp, record); }
    void threads(const ThreadRecord& record) override { pass(&RecordSink::threads, record); }
    void rerun(const RerunRecord& record) override { pass(&RecordSink::rerun, record); }
    void assumption(const std::string& path) override { pass(&RecordSink::assumption, path); }
    void end(Cycle time, bool early) override {
        if (to_ != nullptr) to_->end(time, early);
        if (within_limit()) memory_.end(time, early);
    }

 private:
    template <class What>
    void pass(void (RecordSink::*function)(What), std::type_identity_t<What> what) {
        if (to_ != nullptr) (to_->*function)(what);
        if (within_limit()) (memory_.*function)(what);
    }
    // Counts a record; drops the cache when there are too many.
    bool within_limit() {
        if (count_ > limit_) return false;
        if (++count_ <= limit_) return true;
        memory_ = RecordingBuilder();
        return false;
    }

    RecordSink* const to_;
    RecordingBuilder memory_;
    const size_t limit_;
    size_t count_ = 0;
};

}  // namespace ptosim
