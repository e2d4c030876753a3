// Records the program that a process runs, and writes the results when the process ends.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <unordered_map>

#include "sim/faces/mpmd/busy_time.h"
#include "sim/faces/mpmd/program.h"
#include "sim/faces/mpmd/program_analysis.h"
#include "sim/faces/mpmd/run_failure.h"
#include "traces/record/recording.h"

namespace ptosim::mpmd {

// Checks across tasks.
struct TaskChecks {
    bool races = false;
    bool heap = false;    // memory that was not written, or was given to other tasks
    bool bounds = false;  // accesses beyond tensors
    bool any() const { return races || heap || bounds; }
};

class ProgramRecorder : public Observer {
 public:
    // `folder` of the trace; empty: nothing is written.
    // `keeps`: the records are read for a task that is kept.
    ProgramRecorder(std::string folder, TaskChecks checks, bool keeps);

    bool follows_instructions() const override { return false; }
    void on_launch(const LaunchEvent& event) override;
    void on_complete(const InstructionEvent& event) override;
    uint64_t completed() const { return completed_; }  // instructions

    // Called before each run, in their order, by any thread. Returns the folder for the runtime's records; null: none.
    // A folder chosen by the user is kept.
    const char* folder_of_next_run(const std::string& chosen_by_user);

    // Called before the run's launch, at its begin.
    void begin_run(unsigned aics, unsigned aivs);
    Cycle run_begin() const { return program_.runs.back().begin; }
    void end_run(Cycle now);
    // Failure of the run that has ended; ignored if it has no text.
    void fail_run(RunFailure failure, uint64_t clock_hz);
    void begin_task(CoreId core, const std::string& kernel, Cycle now);
    void end_task(Task task);
    // Texts such as "AIV03 runs add, since 12.345 us", for tasks that have begun and not ended.
    std::vector<std::string> under_way(uint64_t clock_hz) const;
    void add(const Work& work) { program_.work.push_back(work); }
    void add(const ProcessorStore& store);
    void add_signal_wait(const std::string& kernel, Cycle cycles);
    // The chip's clock is that of several.
    void have_clock() { program_.has_clock = true; }

    // Called between runs: reads the runtime's records of finished runs. At the end of the process all of them; before,
    // up to the first run whose records are not written yet.
    enum class Until : uint8_t { kWritten, kEnd };
    void read(const SourceMap& sources, uint64_t clock_hz, Until until);
    // Findings across tasks of the runs that have been read, in their order; a later call adds to them. Runs whose
    // records cannot be read are left out, because the order of their tasks is unknown.
    const std::vector<Diagnostic>& findings(const SourceMap& sources);
    const Program& program() const { return program_; }
    // After read(): the bottlenecks of the program, for files with the instructions.
    ProgramRecord limits(const SourceMap& sources, uint64_t clock_hz) const;
    // The notes of the runs that were left out.
    std::vector<std::string> not_looked_at() const;
    // After read(): writes program.json and program.md, and a summary to standard error. `formats`: of the files with
    // instructions that have been written; trace.json and report.html get the tasks, too. Throws DiagnosticError for
    // files that cannot be written.
    void write(uint64_t clock_hz, const std::vector<std::string_view>& formats);

 private:
    // By line (file and line in one number): cycles of a kernel's instructions.
    using Costs = std::unordered_map<uint64_t, Cycle>;
    // Activity of a core's instructions since its task began.
    struct Core {
        BusyTime compute, any;
        std::vector<TouchedBytes> touched;
        Cycle begin = 0;
        std::string kernel;      // the running kernel; empty: none
        size_t last = kNoTask;   // the previous task, as an index in the program
        Costs* costs = nullptr;  // of the kernel
    };

    Core& at(CoreId core) { return cores_[{core.type, core.index}]; }
    void touch(Core& core, const InstructionEvent& event);

    const std::string folder_;
    const TaskChecks checks_;
    std::string records_;  // folder of the runtime's records; empty: nothing is recorded
    Program program_;
    std::vector<RunAnalysis> analyses_;   // of the runs that have been read
    std::vector<Diagnostic> findings_;    // across tasks, of the first runs
    size_t looked_at_ = 0;                // number of these runs
    std::map<std::string, Costs> costs_;  // by kernel
    std::map<std::pair<CoreType, unsigned>, Core> cores_;
    uint64_t completed_ = 0;

    std::mutex mutex_;
    std::set<std::string> folders_;     // stable storage of their texts
    std::deque<std::string> prepared_;  // folders of runs that have not begun
    unsigned runs_ = 0;
};

}  // namespace ptosim::mpmd
