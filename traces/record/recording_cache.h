// A recording on its way to disk that stays in memory as long as it is small, so that what is made
// from it at the end of the run need not read it back.
#pragma once

#include <filesystem>

#include "traces/record/record_sink.h"

namespace ptosim {

class RecordingCache : public RecordSink {
 public:
    static constexpr size_t kMostKept = size_t{1} << 18;  // records: 20 MB

    // Everything goes on to `to`, which must live as long. Nothing is kept beyond `most` records.
    explicit RecordingCache(RecordSink& to, size_t most = kMostKept) : to_{to}, most_{most} {
        kept_.expect(most);
    }

    // After the end: what was kept, or else what is in `path`, the same. Fails as read_recording().
    Recording take(const std::filesystem::path& path);

    void facts(const ChipFacts& facts) override { pass(&RecordSink::facts, facts); }
    void core(CoreId core) override { pass(&RecordSink::core, core); }
    void source(const Sources::File& file) override { pass(&RecordSink::source, file); }
    void operands(const OperandSet& set) override { pass(&RecordSink::operands, set); }
    void launch_begin(const LaunchRecord& launch) override {
        pass(&RecordSink::launch_begin, launch);
    }
    void launch_end(Cycle time) override { pass(&RecordSink::launch_end, time); }
    void instruction(const InstructionRecord& record) override {
        to_.instruction(record);
        if (keeps()) kept_.instruction(record);
    }
    void wait(const WaitRecord& record) override {
        to_.wait(record);
        if (keeps()) kept_.wait(record);
    }
    void flag(const FlagRecord& record) override {
        to_.flag(record);
        if (keeps()) kept_.flag(record);
    }
    void run_begin(const RunRecord& record) override { to_.run_begin(record); }
    void run(const RunRecord& record) override { pass(&RecordSink::run, record); }
    void diagnostic(const Diagnostic& diagnostic) override {
        pass(&RecordSink::diagnostic, diagnostic);
    }
    void output(const OutputRecord& output) override { pass(&RecordSink::output, output); }
    void assumption(const std::string& path) override { pass(&RecordSink::assumption, path); }
    void end(Cycle time, bool early) override {
        to_.end(time, early);
        if (keeps()) kept_.end(time, early);
    }

 private:
    template <class What>
    void pass(void (RecordSink::*function)(What), std::type_identity_t<What> what) {
        (to_.*function)(what);
        if (keeps()) (kept_.*function)(what);
    }
    // Counts a record.
    bool keeps() {
        if (records_ > most_) return false;
        if (++records_ <= most_) return true;
        kept_ = RecordingBuilder();
        return false;
    }

    RecordSink& to_;
    RecordingBuilder kept_;
    const size_t most_;
    size_t records_ = 0;
};

}  // namespace ptosim
