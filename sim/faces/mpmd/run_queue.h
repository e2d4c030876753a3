// Runs of a program, in the order in which they become complete. Their processors and cores arrive in threads of the
// host, which sleep until a thread of the queue has executed the run.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "ptosim/mpmd.h"
#include "sim/machine/observe/observer.h"

namespace ptosim::mpmd {

// A processor or core of a run.
struct Participant {
    bool is_core = false;
    CoreId core;
    int (*work)(void*) = nullptr;
    void (*work_of_core)(void*) = nullptr;
    void* argument = nullptr;
    int result = -1;
    bool done = false;
};
using Participants = std::vector<Participant*>;

class RunQueue {
 public:
    // `run` executes a run, always in the same thread of a process.
    explicit RunQueue(std::function<void(const Participants&)> run) : run_{std::move(run)} {}

    // The next participant of a run of this size has arrived. Returns when the run has ended.
    void take_part(Participant& participant, ptosim_mpmd_size size);

    // No run begins or ends while this lock is held.
    std::unique_lock<std::mutex> hold() { return std::unique_lock(mutex_); }
    // True while a run is under way; only meaningful under hold().
    bool running() const { return running_; }

 private:
    void serve();

    const std::function<void(const Participants&)> run_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Participants arrived_;
    std::deque<Participants> runs_;
    bool serving_ = false;
    bool running_ = false;
    int process_ = 0;  // the process with the serving thread
};

}  // namespace ptosim::mpmd
