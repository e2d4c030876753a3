// Records the program that a process runs, and writes what is known of it when the process ends.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <unordered_map>

#include "sim/mpmd/program_analysis.h"
#include "sim/mpmd/busy_time.h"
#include "sim/mpmd/program.h"
#include "sim/mpmd/run_failure.h"
#include "traces/record/recording.h"

namespace ptosim::mpmd {

// What is looked for across tasks.
struct TaskChecks {
    bool races = false;
    bool heap = false;    // memory that nobody has written, or that has been given to others
    bool bounds = false;  // accesses beyond tensors
    bool any() const { return races || heap || bounds; }
};

class ProgramRecorder : public Observer {
 public:
    // `folder` of the trace; empty: nothing is written.
    ProgramRecorder(std::string folder, TaskChecks checks);

    bool follows_instructions() const override { return false; }
    void on_launch(const LaunchEvent& event) override;
    void on_complete(const InstructionEvent& event) override;
    uint64_t completed() const { return completed_; }  // instructions

    // Before each run, in their order, and by any thread: where the runtime is to write its
    // records. A folder that its user has chosen is kept. Null: nowhere.
    const char* folder_of_next_run(const std::string& chosen_by_user);

    // Before its launch, whose begin is the run's.
    void begin_run(unsigned aics, unsigned aivs);
    Cycle run_begin() const { return program_.runs.back().begin; }
    void end_run(Cycle now);
    // Of the run that has ended; nothing if there is nothing to say.
    void fail_run(RunFailure failure, uint64_t clock_hz);
    void begin_task(CoreId core, const std::string& kernel, Cycle now);
    void end_task(Task task);
    // "AIV03 runs add, since 12.345 us": of tasks that have begun and not ended.
    std::vector<std::string> under_way(uint64_t clock_hz) const;
    void add(const Work& work) { program_.work.push_back(work); }
    void add(const ProcessorStore& store);
    void add_signal_wait(const std::string& kernel, Cycle cycles);
    // The chip's clock is that of several.
    void have_clock() { program_.has_clock = true; }

    // Between runs: reads what the runtime has recorded of those that have ended. Of all of them at
    // the end of the process; before, up to the first whose records are not written yet.
    enum class Until : uint8_t { kWritten, kEnd };
    void read(const SourceMap& sources, uint64_t clock_hz, Until until);
    // Findings across tasks of the runs that have been read, in their order: a later call adds to
    // them. Runs whose records cannot be read are left out: what orders their tasks is not known.
    const std::vector<Diagnostic>& findings(const SourceMap& sources);
    // Behind read(): what limits the program, for the files that are made of the instructions.
    ProgramRecord limits(const SourceMap& sources, uint64_t clock_hz) const;
    // The notes of those runs.
    std::vector<std::string> not_looked_at() const;
    // Behind read(): program.json and program.md, and what they say in short on standard error.
    // `formats`: of the files that have been written of the instructions; trace.json and
    // report.html get the tasks, too. Throws DiagnosticError for files that cannot be written.
    void write(uint64_t clock_hz, const std::vector<std::string_view>& formats);

 private:
    // By line (file and line in one number): cycles of a kernel's instructions.
    using Costs = std::unordered_map<uint64_t, Cycle>;
    // What its instructions have done since its task began.
    struct Core {
        BusyTime compute, any;
        std::vector<TouchedBytes> touched;
        Cycle begin = 0;
        std::string kernel;      // that it runs; empty: none
        size_t last = kNoTask;   // the task before, of the program
        Costs* costs = nullptr;  // of the kernel
    };

    Core& at(CoreId core) { return cores_[{core.type, core.index}]; }
    void touch(Core& core, const InstructionEvent& event);

    const std::string folder_;
    const TaskChecks checks_;
    std::string records_;  // folder of the runtime's records; empty: nothing is recorded
    Program program_;
    std::vector<RunAnalysis> analyses_;   // of its runs that have been read
    std::vector<Diagnostic> findings_;    // across tasks, of the first runs
    size_t looked_at_ = 0;                // how many runs those are
    std::map<std::string, Costs> costs_;  // by kernel
    std::map<std::pair<CoreType, unsigned>, Core> cores_;
    uint64_t completed_ = 0;

    std::mutex mutex_;
    std::set<std::string> folders_;     // their texts stay where they are
    std::deque<std::string> prepared_;  // of runs that have not begun
    unsigned runs_ = 0;
};

}  // namespace ptosim::mpmd
