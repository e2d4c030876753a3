// A RecordSink that hands what it gets to another one on a thread of its own: encoding and writing
// do not hold up the machine where the host has a second core. Few records are not worth a thread:
// they are handed over by whoever ends the launch.
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
    // `to` must live until finish() has returned, and nobody else may call it before.
    explicit SinkThread(RecordSink& to) : to_{to} { batch_.reserve(kBatch); }
    ~SinkThread() override;  // waits for what is under way; errors are lost
    SinkThread(const SinkThread&) = delete;
    SinkThread& operator=(const SinkThread&) = delete;

    // Until all has been handed over. This, and any call before it, rethrows what `to` has thrown.
    void finish();

    void facts(const ChipFacts& facts) override;
    void core(CoreId core) override;
    void source(const Sources::File& file) override;
    void operands(const OperandSet& set) override;
    void launch_begin(const LaunchRecord& launch) override;
    void launch_end(Cycle time) override;
    void instruction(const InstructionRecord& record) override { add(record); }
    void wait(const WaitRecord& record) override { add(record); }
    void flag(const FlagRecord& record) override { add(record); }
    void run_begin(const RunRecord& record) override;
    void run(const RunRecord& record) override { add(record); }
    void diagnostic(const Diagnostic& diagnostic) override;
    void output(const OutputRecord& output) override;
    void assumption(const std::string& path) override;
    void end(Cycle time, bool early) override;

 private:
    using Rare = std::function<void(RecordSink&)>;
    using Item = std::variant<InstructionRecord, WaitRecord, FlagRecord, RunRecord, Rare>;
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
    std::condition_variable came_, went_;
    std::deque<Batch> waiting_;
    std::vector<Batch> spare_;
    std::exception_ptr thrown_;
    bool stopping_ = false;
    std::thread thread_;  // the last member: it uses the others
};

}  // namespace ptosim
