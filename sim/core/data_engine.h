// Computes data while the machine keeps time: many instructions of one cluster in a row, so
// that its on-chip memories stay in the host's caches, and on worker threads if there are any.
//
// The machine hands over each instruction at the moment its result takes effect. Those of one
// cluster are computed in that order, one at a time; those of different clusters at any time,
// unless their bytes of global memory conflict: then the later one is handed over only when the
// earlier one is done. So every byte is what it would be if each instruction had been computed at
// once, whatever the number of threads.
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

    // How many threads compute, the caller's included; workers start when there is work for them.
    // 0: everything is computed at once. Nothing may be in flight.
    void set_threads(unsigned threads);

    // All of these are called by one thread, the machine's.
    void submit(unsigned cluster, const Execution& execution);
    // At once, after all earlier ones of its cluster and those that it conflicts with.
    template <typename F>
    void run_now(unsigned cluster, const Instruction& instruction, F&& compute) {
        wait_for(cluster);
        for (const Access& access : accesses(instruction)) wait_for(access);
        compute();
    }
    // Until all of a cluster are done; until none conflicts with an access of global memory; until
    // all are done. Rethrow what a computation has thrown.
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
    // An access of global memory of a job in flight.
    struct Flight {
        uint64_t ticket = 0;  // the job is done when the lane has done more
        Access access;
    };
    // The accesses of one cluster's jobs in flight, and maybe of some that are done; all lie in
    // [begin, end).
    struct Flights {
        std::vector<Flight> list;
        uint64_t begin = UINT64_MAX, end = 0;
        void add(uint64_t ticket, const Access& access);
        void forget(uint64_t done);
    };
    // The jobs of one cluster: a ring, of which `done` to `submitted` are in flight. It is empty
    // until the first job.
    struct Lane {
        static constexpr uint64_t kDepth = 128;
        std::vector<Job> ring;
        uint64_t submitted = 0;
        uint64_t done = 0;       // under the lock
        uint64_t seen_done = 0;  // at least so many are, as the machine knows
        bool ready = false;      // in ready_, or a thread works on it
        Flights reads, writes;
    };
    using Lock = std::unique_lock<std::mutex>;

    void start_worker();
    void work();
    void run_one(unsigned lane, Lock& lock);
    bool runs_at_once(unsigned cluster, const Execution& execution);
    // Computes jobs that are ready until the lane has done `count` of them.
    void help_until(unsigned lane, uint64_t count);
    void wait_for(const Access& access, unsigned except);  // but those of one lane
    void wait_for(const Access& access, unsigned lane, const Flights& flights);
    void make_ready(unsigned lane);

    unsigned threads_ = 0;
    std::vector<Lane> lanes_;
    std::vector<std::thread> workers_;
    std::mutex mutex_;
    std::condition_variable ready_changed_, done_changed_;
    std::deque<unsigned> ready_;
    unsigned idle_ = 0;     // workers that wait
    bool waiting_ = false;  // the machine does
    bool stopping_ = false;
    std::exception_ptr thrown_;
};

}  // namespace ptosim
