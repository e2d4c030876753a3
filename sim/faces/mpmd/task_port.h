// The port of a task: exchanges signals with other chips, and records the signal for which the task waits until it has
// come.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "sim/faces/mpmd/signal_board.h"
#include "sim/faces/mpmd/task_watchdog.h"
#include "sim/system/windows.h"

namespace ptosim::mpmd {

// The signals for which running tasks wait.
class SignalWaits {
 public:
    struct Wait {
        CoreId core;
        std::string kernel;
        AwaitedSignal signal;
        unsigned looks = 0;
    };
    SignalWaits(const Windows& windows, SignalBoard& board) : windows_{windows}, board_{board} {}

    // Records another unsuccessful poll.
    void add(CoreId core, const std::string& kernel, const AwaitedSignal& signal, const SourceMap& sources);
    void remove(CoreId core);
    // Turns the report of a deadlock into one of a missing signal, if a task waits for one.
    void explain(Diagnostic& deadlock, const SourceMap& sources) const;

    SignalBoard& board() { return board_; }

 private:
    std::string text(const Wait& wait) const;

    const Windows& windows_;
    SignalBoard& board_;
    std::map<std::pair<CoreType, unsigned>, Wait> waits_;
};

class TaskPort : public WindowPort {
 public:
    TaskPort(KernelPort& port, const Windows& windows, Chip& chip, TaskWatchdog& watchdog, SignalWaits& waits,
             ProgramRecorder& recorder, const std::string& kernel, const SourceMap& sources);
    ~TaskPort() override { end_wait(); }
    TaskPort(const TaskPort&) = delete;
    TaskPort& operator=(const TaskPort&) = delete;

    // Reading the time counts as progress, because the task may wait for a time.
    uint64_t system_counter() override;
    void awaits(const AwaitedSignal& signal) override;
    void no_longer_awaits() override { end_wait(); }

 protected:
    void note_signal(SharedWord word, SourceLocation where) override;
    void note_unchanged(const AwaitedSignal& signal) override { awaits(signal); }
    void note_changed() override { end_wait(); }

 private:
    void end_wait();

    const Chip& chip_;
    TaskWatchdog& watchdog_;
    SignalWaits& waits_;
    ProgramRecorder& recorder_;
    std::optional<Cycle> waits_since_;
    const CoreId core_;
    const std::string& kernel_;
    const SourceMap& sources_;
};

}  // namespace ptosim::mpmd
