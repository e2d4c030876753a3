// Records the program that a process runs, and writes what is known of it when the process ends.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "sim/mpmd/busy.h"
#include "sim/mpmd/program.h"

namespace ptosim::mpmd {

class ProgramRecorder : public Observer {
 public:
    // `folder` of the trace; empty: nothing is written.
    explicit ProgramRecorder(std::string folder);

    bool follows_instructions() const override { return false; }
    void on_complete(const InstructionEvent& event) override;
    uint64_t completed() const { return completed_; }  // instructions

    // Before each run, in their order, and by any thread: where the runtime is to write its
    // records. A folder that its user has chosen is kept. Null: nowhere.
    const char* folder_of_next_run(const std::string& chosen_by_user);

    void begin_run(Cycle now, unsigned aics, unsigned aivs);
    void end_run(Cycle now);
    void begin_task(CoreId core);
    void end_task(Task task);
    void add(const Work& work) { program_.work.push_back(work); }

    // program.json and program.md, and what they say in short on standard error. Throws
    // DiagnosticError for files that cannot be written.
    void write(uint64_t clock_hz);

 private:
    struct CoreBusy {
        Busy compute, any;
    };

    const std::string folder_;
    Program program_;
    std::map<std::pair<CoreType, unsigned>, CoreBusy> busy_;
    uint64_t completed_ = 0;

    std::mutex mutex_;
    std::set<std::string> folders_;     // their texts stay where they are
    std::deque<std::string> prepared_;  // of runs that have not begun
    unsigned runs_ = 0;
};

}  // namespace ptosim::mpmd
