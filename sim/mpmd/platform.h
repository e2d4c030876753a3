// The simulated chip under a runtime of many kernels (include/ptosim/mpmd.h): its memory, runs, and
// what they leave. One chip, and so one architecture, in a process.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ptosim/mpmd.h"
#include "sim/aicpu/processor.h"
#include "sim/mpmd/executor.h"
#include "sim/mpmd/host_clock.h"
#include "sim/mpmd/processor_cache.h"
#include "sim/mpmd/program_recorder.h"
#include "sim/mpmd/windows.h"
#include "sim/native/accesses.h"
#include "sim/native/kernel.h"
#include "sim/session/session.h"

namespace ptosim::mpmd {

class Platform {
 public:
    static Platform& get();

    void open(const char* arch);
    const ChipModel& model() { return session().model(); }
    void* allocate(uint64_t size);
    void release(void* memory);
    // Memory that other processes' chips share, by a file: null if there is no room.
    void* map(uint64_t size, int file);
    void unmap(void* window);

    // A processor or core of the next run has arrived: returns when the run has ended.
    struct Participant {
        bool is_core = false;
        CoreId core;
        int (*work)(void*) = nullptr;
        void (*work_of_core)(void*) = nullptr;
        void* argument = nullptr;
        int result = -1;
        bool done = false;
    };
    void take_part(Participant& participant, ptosim_mpmd_size size);

    void add_kernel(const char* name, const void* begin, const void* end);
    void remove_kernel(const void* begin);

    // Where the runtime is to write its records of the next run; null: nowhere.
    const char* record_run(const std::string& folder_of_user);

    // Once, when the process that has made runs ends with this status; the status to end with.
    int finish(int status);

    // ---- for the code of processors and executors

    void store(Processor& processor, volatile uint32_t* address, uint32_t value);
    // A processor has written to memory, maybe the device's, by itself.
    void note_store(const void* address, uint64_t size);
    // Its code accesses memory, maybe the device's: where stale lines are looked for.
    void note_access(const Processor& processor, const PlainAccess& access);
    void invalidate(const void* address, uint64_t size);
    int32_t* word_of(const Processor& processor) { return &words_[processor.index()]; }
    void run_task(Executor& executor, const void* begin, int64_t* arguments);
    uint64_t nanoseconds() const;
    uint64_t run_nanoseconds() const { return run_nanoseconds_; }

    // ---- for the code of the host

    // 0 would stand for a time that was not taken.
    uint64_t host_nanoseconds() const { return 1 + run_nanoseconds_ + HostClock::nanoseconds(); }
    int host_process() const;
    int host_thread() const;

 private:
    // The loop of each core in a run.
    class ExecutorKernel;
    struct LoadedKernel {
        std::string name;
        std::unique_ptr<NativeModules> modules;
        std::unique_ptr<NativeKernel> kernel;
    };

    Session& session();
    void serve();
    void run(std::vector<Participant*> participants);
    bool launch(std::vector<Participant*>& participants);
    bool fits(const std::vector<Participant*>& participants);
    Executor& executor(CoreId core);
    void start_processor(Participant& participant, unsigned index);
    void watch();
    void fail(const std::vector<Diagnostic>& diagnostics);

    // The simulation has a thread of its own: all that acts on the chip does so there.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Participant*> arrived_;
    std::deque<std::vector<Participant*>> runs_;
    bool serving_ = false;
    bool running_ = false;
    int process_ = 0;  // that serves

    std::mutex memory_;
    std::string arch_;
    std::unique_ptr<Session> session_;
    Windows windows_;
    std::map<void*, bool> on_host_;  // allocated while a run was under way

    std::map<const void*, LoadedKernel> kernels_;
    std::shared_ptr<SourceMap> sources_;
    std::vector<std::unique_ptr<Processor>> processors_;
    std::deque<int32_t> words_;
    std::map<std::pair<CoreType, unsigned>, std::unique_ptr<Executor>> executors_;
    std::unique_ptr<ExecutorKernel> kernel_;
    std::unique_ptr<ProgramRecorder> recorder_;
    std::unique_ptr<ProcessorCache> processor_cache_;  // null: stale lines are not looked for
    // While processors work: they may poll for ever for what a core that hangs will never do.
    std::unique_ptr<Event> look_;
    Actor watcher_ = Actor::of<&Platform::watch>(this);
    unsigned processors_at_work_ = 0;
    unsigned tasks_under_way_ = 0;
    uint64_t counter_reads_ = 0;  // of the system counter, by tasks
    uint64_t events_seen_ = 0;    // these and completed instructions, at the watcher's last look
    unsigned looks_without_progress_ = 0;
    bool broken_ = false;
    pid_t owner_ = 0;  // the process whose runs these are; a fork of it has none
    std::atomic<uint64_t> run_nanoseconds_ = 0;  // of runs that have ended
};

}  // namespace ptosim::mpmd
