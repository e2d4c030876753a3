#include "sim/core/data_engine.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "isa/instruction_table.h"

namespace ptosim {
namespace {

// A thread that has done so many jobs of one cluster looks at the others.
constexpr unsigned kTurn = 4;
constexpr unsigned kNoLane = UINT_MAX;

}  // namespace

DataEngine::DataEngine(unsigned clusters) : lanes_(clusters) {}

DataEngine::~DataEngine() {
    {
        const Lock lock(mutex_);
        stopping_ = true;
    }
    ready_changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void DataEngine::set_threads(unsigned threads) {
    threads_ = std::max(1u, threads);
    if (threads_ == 1) return;
    for (Lane& lane : lanes_) lane.ring.resize(Lane::kDepth);
}

void DataEngine::submit(unsigned cluster, const Execution& execution) {
    if (threads_ == 1) {
        info(execution.instruction.opcode).semantics(execution);
        return;
    }
    Lane& lane = lanes_[cluster];
    for (const Access& access : accesses(execution.instruction))
        if (access.global) wait_for(access, cluster);
    if (runs_at_once(cluster, execution)) {
        info(execution.instruction.opcode).semantics(execution);
        return;
    }
    if (lane.submitted >= Lane::kDepth) help_until(cluster, lane.submitted - Lane::kDepth + 1);

    Job& job = lane.ring[lane.submitted % Lane::kDepth];
    job.instruction.assign(execution.instruction);
    job.bytes = execution.bytes;
    job.numerics = execution.numerics;
    for (const Access& access : accesses(job.instruction))
        if (access.global) flights_.push_back({cluster, lane.submitted, access});
    if (flights_.size() >= forget_at_) forget_landed();

    const Lock lock(mutex_);
    ++lane.submitted;
    if (lane.ready) return;
    lane.ready = true;
    ready_.push_back(cluster);
    if (idle_ > 0)
        ready_changed_.notify_one();
    else if (workers_.size() + 1 < threads_ && ready_.size() > 1)
        start_worker();
}

// What takes less time than handing it over.
bool DataEngine::runs_at_once(unsigned cluster, const Execution& execution) {
    constexpr int64_t kSmall = 512;  // elements
    for (unsigned i = 0; i < execution.instruction.operand_count; ++i) {
        const Operand& operand = execution.instruction.operands[i];
        if (operand.is_tile() && int64_t{operand.tile.rows} * operand.tile.cols > kSmall)
            return false;
    }
    const Lock lock(mutex_);
    return lanes_[cluster].done == lanes_[cluster].submitted;
}

void DataEngine::start_worker() {
    workers_.emplace_back([this] { work(); });
}

void DataEngine::work() {
    Lock lock(mutex_);
    for (;;) {
        while (ready_.empty() && !stopping_) {
            ++idle_;
            ready_changed_.wait(lock);
            --idle_;
        }
        if (stopping_) return;
        const unsigned lane = ready_.front();
        ready_.pop_front();
        run_one(lane, lock);
    }
}

// The lane is ready and not in ready_: it is this thread's. Holds the lock before and after.
void DataEngine::run_one(unsigned at, Lock& lock) {
    Lane& lane = lanes_[at];
    for (unsigned turn = 0; turn < kTurn && lane.done < lane.submitted; ++turn) {
        const Job& job = lane.ring[lane.done % Lane::kDepth];
        lock.unlock();
        std::exception_ptr thrown;
        try {
            info(job.instruction.opcode)
                .semantics(Execution{job.instruction, job.bytes, job.numerics});
        } catch (...) {
            thrown = std::current_exception();
        }
        lock.lock();
        if (thrown && !thrown_) thrown_ = thrown;
        ++lane.done;
        if (waiting_) done_changed_.notify_one();
    }
    if (lane.done < lane.submitted) {
        ready_.push_back(at);
        if (idle_ > 0) ready_changed_.notify_one();
    } else {
        lane.ready = false;
    }
}

void DataEngine::help_until(unsigned at, uint64_t count) {
    if (threads_ == 1) return;
    const Lane& lane = lanes_[at];
    Lock lock(mutex_);
    while (lane.done < count) {
        // The lane waited for first, then whatever there is.
        auto next = std::find(ready_.begin(), ready_.end(), at);
        if (next == ready_.end()) next = ready_.begin();
        if (next != ready_.end()) {
            const unsigned other = *next;
            ready_.erase(next);
            run_one(other, lock);
            continue;
        }
        waiting_ = true;
        done_changed_.wait(lock);
        waiting_ = false;
    }
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void DataEngine::wait_for(unsigned cluster) { help_until(cluster, lanes_[cluster].submitted); }

void DataEngine::wait_for(const Access& access) { wait_for(access, kNoLane); }

void DataEngine::wait_for(const Access& access, unsigned except) {
    for (const Flight& flight : flights_)
        if (flight.lane != except && conflict(flight.access, access))
            help_until(flight.lane, flight.ticket + 1);
}

void DataEngine::finish() {
    for (unsigned i = 0; i < lanes_.size(); ++i) wait_for(i);
    flights_.clear();
}

// An access points into its job. Where another job has taken its place, the flight has landed: to
// wait for it takes no time.
void DataEngine::forget_landed() {
    const Lock lock(mutex_);
    std::erase_if(flights_, [this](const Flight& flight) {
        return lanes_[flight.lane].done > flight.ticket;
    });
    forget_at_ = std::max<size_t>(64, 2 * flights_.size());
}

}  // namespace ptosim
