// A RecordSink that passes records to another one on a background thread, so that encoding and
// writing do not block the simulation where the host has a second core. For few records no thread
// is started: they are passed on at the end of the launch.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "traces/record/record_sink.h"

namespace ptosim {

class SinkThread : public RecordSink {
 public:
    // `to` must outlive finish(), and must not be called by others before.
    explicit SinkThread(RecordSink& to) : to_{to} { batch_.reserve(kBatch); }
    ~SinkThread() override;  // waits for pending batches; errors are lost
    SinkThread(const SinkThread&) = delete;
    SinkThread& operator=(const SinkThread&) = delete;

    // Waits until all records have been passed on. Any call may rethrow an exception of `to`.
    void finish();

    void facts(const ChipFacts& facts) override;
    void core(CoreId core) override;
    void source(const Sources::File& file) override;
    void call(const CallRecord& record) override;
    void operands(const OperandSet& set) override;
    void cost(const CostRecord& record) override;
    void launch_begin(const LaunchRecord& launch) override;
    void launch_end(Cycle time) override;
    void instruction(const InstructionRecord& record) override { add(record); }
    void wait(const WaitRecord& record) override { add(record); }
    void flag(const FlagRecord& record) override { add(record); }
    void run_begin(const RunRecord& record) override;
    void run(const RunRecord& record) override { add(record); }
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

 private:
    using Call = std::function<void(RecordSink&)>;
    using Item = std::variant<InstructionRecord, WaitRecord, FlagRecord, RunRecord, Call>;
    using Batch = std::vector<Item>;
    static constexpr size_t kBatch = 512;      // items
    static constexpr size_t kMostWaiting = 4;  // batches

    template <class Record>
    void add(const Record& record) {
        batch_.emplace_back(record);
        if (batch_.size() >= kBatch) hand_over();
    }
    void hand_over();
    void catch_up();
    void work();
    void pass_on(const Batch& batch);
    void stop();

    RecordSink& to_;
    Batch batch_;
    std::mutex mutex_;
    std::condition_variable batch_ready_, space_free_;
    std::deque<Batch> waiting_;
    std::vector<Batch> spare_;
    std::exception_ptr thrown_;
    bool stopping_ = false;
    std::thread thread_;  // the last member: it uses the others
};

}  // namespace ptosim
