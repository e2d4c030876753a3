#include "sim/machine/core/data_engine.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "isa/table/instruction_table.h"

namespace ptosim {
namespace {

// Number of jobs of one cluster that a thread computes in a row while the cluster's memories are in the caches. After
// them it checks other clusters.
constexpr uint64_t kTurn = 32;
constexpr unsigned kNoLane = UINT_MAX;

bool touches_global(const Instruction& instruction) {
    const Operand* const operands = instruction.operands.data();
    return std::any_of(operands, operands + instruction.operand_count,
                       [](const Operand& operand) { return operand.is_global(); });
}

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

void DataEngine::Flights::add(uint64_t ticket, const Access& access) {
    list.push_back({ticket, access});
    begin = std::min(begin, access.begin);
    end = std::max(end, access.end);
}

// An access refers to its job in the ring. If another job has replaced that one, it is done, and waiting for it takes
// no time. The range covers all accesses since the lane was last empty.
void DataEngine::Flights::forget(uint64_t done) {
    std::erase_if(list, [done](const Flight& flight) { return done > flight.ticket; });
    if (!list.empty()) return;
    begin = UINT64_MAX;
    end = 0;
}

void DataEngine::set_threads(unsigned threads) { threads_ = threads; }

void DataEngine::submit(unsigned cluster, const Execution& execution) {
    if (threads_ == 0) {
        info(execution.instruction.opcode).semantics(execution);
        return;
    }
    Lane& lane = lanes_[cluster];
    const bool global = touches_global(execution.instruction);
    if (global)
        for (const Access& access : accesses(execution.instruction))
            if (access.global) wait_for(access, cluster);
    if (runs_at_once(cluster, execution)) {
        info(execution.instruction.opcode).semantics(execution);
        return;
    }
    if (lane.submitted - lane.seen_done >= Lane::kDepth)  // make room for many at once
        help_until(cluster, lane.submitted - (threads_ == 1 ? 0 : Lane::kDepth / 2));

    // Most launches of a small kernel use one cluster of many.
    if (lane.ring.empty()) lane.ring.resize(Lane::kDepth);
    Job& job = lane.ring[lane.submitted % Lane::kDepth];
    job.instruction.assign(execution.instruction);
    job.bytes = execution.bytes;
    job.numerics = execution.numerics;
    job.ub_bytes = execution.ub_bytes;
    job.registers = execution.registers;
    if (global)
        for (const Access& access : accesses(job.instruction))
            if (access.global)
                (access.writes ? lane.writes : lane.reads).add(lane.submitted, access);

    const Lock lock(mutex_);
    lane.seen_done = lane.done;
    if (++lane.submitted % kTurn == 0) {
        lane.reads.forget(lane.done);
        lane.writes.forget(lane.done);
    }
    if (threads_ > 1 && lane.submitted - lane.done >= kTurn) make_ready(cluster);
}

// The caller holds the lock.
void DataEngine::make_ready(unsigned at) {
    Lane& lane = lanes_[at];
    if (lane.ready || lane.done == lane.submitted) return;
    lane.ready = true;
    ready_.push_back(at);
    if (idle_ > 0)
        ready_changed_.notify_one();
    else if (workers_.size() + 1 < threads_ && ready_.size() > 1)
        start_worker();
}

// True if computing takes less time than submitting would.
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

// The lane is ready and not in ready_, so it belongs to this thread. The lock is held before and after.
void DataEngine::run_one(unsigned at, Lock& lock) {
    Lane& lane = lanes_[at];
    for (uint64_t turn = 0; turn < kTurn && lane.done < lane.submitted; ++turn) {
        const Job& job = lane.ring[lane.done % Lane::kDepth];
        lock.unlock();
        std::exception_ptr thrown;
        try {
            info(job.instruction.opcode)
                .semantics(Execution{job.instruction, job.bytes, job.numerics, job.ub_bytes,
                                     job.registers});
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
    if (threads_ == 0) return;
    const Lane& lane = lanes_[at];
    Lock lock(mutex_);
    if (lane.done < count) make_ready(at);
    while (lane.done < count) {
        // The awaited lane comes first, then any other.
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
    for (unsigned i = 0; i < lanes_.size(); ++i) {
        if (i == except) continue;
        wait_for(access, i, lanes_[i].writes);
        if (access.writes) wait_for(access, i, lanes_[i].reads);
    }
}

void DataEngine::wait_for(const Access& access, unsigned lane, const Flights& flights) {
    if (access.end <= flights.begin || flights.end <= access.begin) return;
    uint64_t count = 0;
    for (const Flight& flight : flights.list)
        if (conflict(flight.access, access)) count = flight.ticket + 1;
    if (count > 0) help_until(lane, count);
}

void DataEngine::finish() {
    for (unsigned i = 0; i < lanes_.size(); ++i) {
        wait_for(i);
        lanes_[i].reads.forget(UINT64_MAX);
        lanes_[i].writes.forget(UINT64_MAX);
    }
}

}  // namespace ptosim
