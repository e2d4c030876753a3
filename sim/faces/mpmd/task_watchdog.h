// Stops a run whose tasks hang: processors may poll endlessly for a core that never answers.
#pragma once

#include "sim/faces/mpmd/program_recorder.h"
#include "sim/machine/chip/chip.h"

namespace ptosim::mpmd {

// While tasks run, instructions complete or the system counter is read (by a task that waits for a time). If neither
// happens, the event queue is stopped, and the waits of the cores are reported as a deadlock.
class TaskWatchdog {
 public:
    // `recorder` counts completed instructions.
    TaskWatchdog(Chip& chip, const ProgramRecorder& recorder)
        : chip_{chip}, recorder_{recorder}, look_{chip.event_queue(), watcher_} {}
    TaskWatchdog(const TaskWatchdog&) = delete;
    TaskWatchdog& operator=(const TaskWatchdog&) = delete;

    void begin_run();
    void end_run() { look_.cancel(); }
    void begin_task() { ++tasks_under_way_; }
    void end_task() { --tasks_under_way_; }
    void note_counter_read() { ++counter_reads_; }

    // For chips with one clock: another chip may still send the signal of a waiting task, so the watchdog stops nothing.
    void watch_only() { stops_ = false; }
    Cycle progress_at() const { return progress_at_; }

 private:
    void look();
    void look_again();

    Chip& chip_;
    const ProgramRecorder& recorder_;
    Actor watcher_ = Actor::of<&TaskWatchdog::look>(this);
    Event look_;
    bool stops_ = true;
    Cycle progress_at_ = 0;  // when a look has last found some
    unsigned tasks_under_way_ = 0;
    uint64_t counter_reads_ = 0;
    uint64_t events_seen_ = 0;  // counter reads and completed instructions at the last check
    unsigned looks_without_progress_ = 0;
};

}  // namespace ptosim::mpmd
