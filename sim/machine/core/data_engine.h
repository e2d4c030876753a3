// Computes data while the machine keeps time. Several instructions of one cluster are computed in a row, so that its
// on-chip memories stay in the host's caches; worker threads compute if there are any.
//
// The machine submits each instruction at the moment its result takes effect. Instructions of one cluster are computed
// in that order, one at a time. Different clusters are independent unless their bytes of global memory conflict: then
// the later instruction is submitted only after the earlier one is done. So every byte is the same as if each
// instruction had been computed at once, for any number of threads.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "isa/core/execution.h"
#include "isa/table/access.h"

namespace ptosim {

class DataEngine {
 public:
    explicit DataEngine(unsigned clusters);
    ~DataEngine();
    DataEngine(const DataEngine&) = delete;
    DataEngine& operator=(const DataEngine&) = delete;

    // Number of threads that compute, including the caller's. Workers start when there is work for them. 0: everything
    // is computed at once. Nothing may be in flight.
    void set_threads(unsigned threads);

    // The machine's thread calls all of these.
    void submit(unsigned cluster, const Execution& execution);
    // Computes at once, after all earlier instructions of the cluster and all that conflict with this one.
    template <typename F>
    void run_now(unsigned cluster, const Instruction& instruction, F&& compute) {
        wait_for(cluster);
        for (const Access& access : accesses(instruction)) wait_for(access);
        compute();
    }
    // Wait until all instructions of a cluster are done; until none conflicts with an access of global memory; until
    // all are done. They rethrow exceptions of computations.
    void wait_for(unsigned cluster);
    void wait_for(const Access& access);
    void finish();

 private:
    struct Job {
        Instruction instruction;
        std::array<std::byte*, Instruction::kMaxOperands> bytes{};
        Numerics numerics = Numerics::kIEEE;
        uint64_t ub_bytes = 0;
        IntrinsicState* registers = nullptr;
    };
    // An access of global memory by a job in flight.
    struct Flight {
        uint64_t ticket = 0;  // the job is done when the lane has done more
        Access access;
    };
    // Accesses of one cluster's jobs in flight, and possibly of some finished ones. All lie in [begin, end).
    struct Flights {
        std::vector<Flight> list;
        uint64_t begin = UINT64_MAX, end = 0;
        void add(uint64_t ticket, const Access& access);
        void forget(uint64_t done);
    };
    // The jobs of one cluster: a ring in which jobs `done` to `submitted` are in flight. Empty until the first job.
    struct Lane {
        static constexpr uint64_t kDepth = 128;
        std::vector<Job> ring;
        uint64_t submitted = 0;
        uint64_t done = 0;       // under the lock
        uint64_t seen_done = 0;  // lower bound of `done`, read by the machine without the lock
        bool ready = false;      // in ready_, or a thread works on it
        Flights reads, writes;
    };
    using Lock = std::unique_lock<std::mutex>;

    void start_worker();
    void work();
    void run_one(unsigned lane, Lock& lock);
    bool runs_at_once(unsigned cluster, const Execution& execution);
    // Computes ready jobs until the lane has done `count` of its own.
    void help_until(unsigned lane, uint64_t count);
    void wait_for(const Access& access, unsigned except);  // except those of one lane
    void wait_for(const Access& access, unsigned lane, const Flights& flights);
    void make_ready(unsigned lane);

    unsigned threads_ = 0;
    std::vector<Lane> lanes_;
    std::vector<std::thread> workers_;
    std::mutex mutex_;
    std::condition_variable ready_changed_, done_changed_;
    std::deque<unsigned> ready_;
    unsigned idle_ = 0;     // waiting workers
    bool waiting_ = false;  // the machine waits
    bool stopping_ = false;
    std::exception_ptr thrown_;
};

}  // namespace ptosim
