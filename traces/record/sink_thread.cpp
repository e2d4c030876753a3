#include "traces/record/sink_thread.h"

#include <type_traits>
#include <utility>

namespace ptosim {

SinkThread::~SinkThread() {
    try {
        catch_up();
    } catch (...) {  // errors are reported by finish()
    }
    stop();
}

void SinkThread::finish() {
    catch_up();
    stop();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void SinkThread::stop() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    batch_ready_.notify_one();
    thread_.join();
}

void SinkThread::hand_over() {
    std::unique_lock lock(mutex_);
    if (!thread_.joinable() && waiting_.size() + 1 == kMostWaiting)
        thread_ = std::thread([this] { work(); });
    space_free_.wait(lock, [this] { return waiting_.size() < kMostWaiting; });
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    waiting_.push_back(std::move(batch_));
    batch_ = {};
    if (!spare_.empty()) {
        batch_ = std::move(spare_.back());
        spare_.pop_back();
    }
    lock.unlock();
    batch_ready_.notify_one();
    batch_.reserve(kBatch);
}

// Waits until all that has been passed in is written.
void SinkThread::catch_up() {
    if (thread_.joinable()) return hand_over();
    // Whatever happens to it, nothing is handed over twice.
    const std::deque<Batch> waiting = std::exchange(waiting_, {});
    const Batch last = std::exchange(batch_, {});
    for (const Batch& batch : waiting) pass_on(batch);
    pass_on(last);
}

void SinkThread::work() {
    std::unique_lock lock(mutex_);
    for (bool failed = false;;) {
        batch_ready_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        Batch batch = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        space_free_.notify_one();
        std::exception_ptr thrown;
        try {
            if (!failed) pass_on(batch);
        } catch (...) {
            thrown = std::current_exception();
        }
        batch.clear();
        lock.lock();
        if (thrown) thrown_ = thrown;
        failed = failed || thrown;
        spare_.push_back(std::move(batch));
    }
}

void SinkThread::pass_on(const Batch& batch) {
    for (const Item& item : batch)
        std::visit(
            [this](const auto& what) {
                using What = std::decay_t<decltype(what)>;
                if constexpr (std::is_same_v<What, InstructionRecord>)
                    to_.instruction(what);
                else if constexpr (std::is_same_v<What, WaitRecord>)
                    to_.wait(what);
                else if constexpr (std::is_same_v<What, FlagRecord>)
                    to_.flag(what);
                else if constexpr (std::is_same_v<What, RunRecord>)
                    to_.run(what);
                else
                    what(to_);
            },
            item);
}

void SinkThread::facts(const ChipFacts& facts) {
    add(Call([facts](RecordSink& to) { to.facts(facts); }));
}
void SinkThread::core(CoreId core) {
    add(Call([core](RecordSink& to) { to.core(core); }));
}
void SinkThread::source(const Sources::File& file) {
    add(Call([file](RecordSink& to) { to.source(file); }));
}
void SinkThread::call(const CallRecord& record) {
    add(Call([record](RecordSink& to) { to.call(record); }));
}
void SinkThread::operands(const OperandSet& set) {
    add(Call([set](RecordSink& to) { to.operands(set); }));
}
void SinkThread::launch_begin(const LaunchRecord& launch) {
    add(Call([launch](RecordSink& to) { to.launch_begin(launch); }));
}
// Between two launches a host may do anything: the file should have all of this one.
void SinkThread::launch_end(Cycle time) {
    add(Call([time](RecordSink& to) { to.launch_end(time); }));
    catch_up();
}
void SinkThread::run_begin(const RunRecord& record) {
    add(Call([record](RecordSink& to) { to.run_begin(record); }));
}
void SinkThread::diagnostic(const Diagnostic& diagnostic) {
    add(Call([diagnostic](RecordSink& to) { to.diagnostic(diagnostic); }));
}
void SinkThread::output(const OutputRecord& output) {
    add(Call([output](RecordSink& to) { to.output(output); }));
}
void SinkThread::cost(const CostRecord& record) {
    add(Call([record](RecordSink& to) { to.cost(record); }));
}

void SinkThread::tile(const TileValues& values) {
    add(Call([values](RecordSink& to) { to.tile(values); }));
}
void SinkThread::values(const ValuesRecord& record) {
    add(Call([record](RecordSink& to) { to.values(record); }));
}
void SinkThread::mismatch(const MismatchRecord& record) {
    add(Call([record](RecordSink& to) { to.mismatch(record); }));
}
void SinkThread::program(const ProgramRecord& record) {
    add(Call([record](RecordSink& to) { to.program(record); }));
}
void SinkThread::warp(const WarpRecord& record) {
    add(Call([record](RecordSink& to) { to.warp(record); }));
}

void SinkThread::threads(const ThreadRecord& record) {
    add(Call([record](RecordSink& to) { to.threads(record); }));
}

void SinkThread::rerun(const RerunRecord& record) {
    add(Call([record](RecordSink& to) { to.rerun(record); }));
}

void SinkThread::assumption(const std::string& path) {
    add(Call([path](RecordSink& to) { to.assumption(path); }));
}
void SinkThread::end(Cycle time, bool early) {
    add(Call([time, early](RecordSink& to) { to.end(time, early); }));
}

}  // namespace ptosim
