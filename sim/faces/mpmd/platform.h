// The simulated chip for a runtime of many kernels (include/ptosim/mpmd.h): its runs, the code of processors and
// executors, and the results. A process has one chip, and so one architecture.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sim/faces/mpmd/core_stores.h"
#include "sim/faces/mpmd/executor.h"
#include "sim/faces/mpmd/findings_taken.h"
#include "sim/faces/mpmd/host_clock.h"
#include "sim/faces/mpmd/kernel_store.h"
#include "sim/faces/mpmd/processor_cache.h"
#include "sim/faces/mpmd/program_memory.h"
#include "sim/faces/mpmd/program_recorder.h"
#include "sim/faces/mpmd/run_queue.h"
#include "sim/faces/mpmd/shared_clock.h"
#include "sim/faces/mpmd/task_keeper.h"
#include "sim/faces/mpmd/task_port.h"
#include "sim/faces/mpmd/task_watchdog.h"
#include "sim/machine/aicpu/processor.h"
#include "sim/native/accesses.h"
#include "sim/session/session.h"

namespace ptosim::mpmd {

class Platform {
 public:
    static Platform& get();

    void open(const char* arch);
    const ChipModel& model() { return session().model(); }
    void* allocate(uint64_t size);
    void release(void* memory);
    // Maps memory of a file that other processes' chips share; null if there is no room.
    void* map(uint64_t size, int file);
    void unmap(void* window);
    // Windows of a file that is mapped, by chip: if the chips have one clock, others' are reached by links. False, after
    // a diagnostic has been printed, if they cannot be.
    bool join_windows(const std::vector<std::pair<unsigned, uint64_t>>& windows, uint64_t bytes);
    // The same for windows with a file each: offers this chip's window, and imports one that another chip has offered.
    bool offer_window(uint64_t window, uint64_t bytes);
    bool import_window(uint64_t window, uint64_t bytes);

    bool chips_live() const { return !clock_ || clock_->chips_live(); }

    RunQueue& queue() { return queue_; }

    void add_kernel(const char* name, const void* begin, const void* end);
    void note_kernel(const void* begin, const char* how) { kernels_.note_made(begin, how); }
    void remove_kernel(const void* begin) { kernels_.remove(begin); }

    // The folder for the runtime's records of the next run; null: none.
    const char* record_run(const std::string& folder_of_user);

    // Findings since the last call, of runs that have ended, for the test that has made them: a document of
    // sim/session/findings_folder.h, which joins the folder; null if there are none. They are not printed again when
    // the process ends.
    const char* take_findings(const std::string& test);

    // Called once, when the process that has made runs ends with this status. Returns the status to end with.
    int finish(int status);

    // ---- for the code of processors and executors

    void store(Processor& processor, volatile uint32_t* address, uint32_t value);
    // A processor itself has written to memory, possibly the device's.
    void note_store(const void* address, uint64_t size);
    // A processor's code accesses memory, possibly the device's; stale lines are checked here.
    void note_access(const Processor& processor, const PlainAccess& access);
    void invalidate(const void* address, uint64_t size);
    int32_t* word_of(const Processor& processor) { return &words_[processor.index()]; }
    void run_task(Executor& executor, const void* begin, int64_t* arguments);
    uint64_t nanoseconds() const;
    uint64_t run_nanoseconds() const { return run_nanoseconds_; }

    // ---- for the code of the host

    // Never 0, which would mean that a time was not taken.
    uint64_t host_nanoseconds() const { return 1 + run_nanoseconds_ + HostClock::nanoseconds(); }

 private:
    template <class Join>
    bool share_window(uint64_t begin, uint64_t bytes, const Join& join);
    // The loop of each core in a run.
    class ExecutorKernel;
    Session& session();
    void run(const Participants& participants);
    bool launch(const Participants& participants);
    bool launch_at_its_time(const Participants& participants);
    bool fits(const Participants& participants);
    std::vector<Diagnostic> findings_of_program();
    Executor& executor(CoreId core);
    void start_processor(Participant& participant, unsigned index);

    std::mutex calls_;  // one call of the host at a time
    std::string arch_;
    std::unique_ptr<Session> session_;
    pid_t owner_ = 0;  // the process that owns the runs; a fork of it has none
    bool broken_ = false;

    RunQueue queue_{[this](const Participants& participants) { run(participants); }};
    KernelStore kernels_;
    std::unique_ptr<ProgramRecorder> recorder_;
    std::unique_ptr<ProcessorCache> processor_cache_;  // null: stale lines are not checked
    std::unique_ptr<CoreStores> core_stores_;          // null: invisible stores are not checked
    FindingsTaken of_session_, printed_;
    std::string document_;
    std::optional<ProgramMemory> memory_;
    std::optional<TaskWatchdog> watchdog_;
    std::unique_ptr<SharedClock> clock_;  // null: the chip has its own
    SignalBoard signals_;
    std::optional<SignalWaits> signal_waits_;
    std::unique_ptr<TaskKeeper> keeper_;  // null: no task is kept

    std::vector<std::unique_ptr<Processor>> processors_;
    std::deque<int32_t> words_;
    unsigned processors_at_work_ = 0;
    std::vector<Diagnostic> thrown_;  // exceptions of their code in this run
    std::map<std::pair<CoreType, unsigned>, std::unique_ptr<Executor>> executors_;
    std::unique_ptr<ExecutorKernel> kernel_;
    std::atomic<uint64_t> run_nanoseconds_ = 0;  // of finished runs
};

}  // namespace ptosim::mpmd
