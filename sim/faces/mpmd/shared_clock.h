// The clock that this chip shares with the others of a job. Between two runs a thread serves the memory that others reach,
// so that they can go on while this chip's host process does something else.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "sim/faces/mpmd/job_process.h"
#include "sim/faces/mpmd/task_watchdog.h"
#include "sim/session/session.h"

namespace ptosim::mpmd {

class SharedClock {
 public:
    SharedClock(Session& session, JobProcess& process, const TaskWatchdog& watchdog, bool notes_traffic);
    SharedClock(const SharedClock&) = delete;
    SharedClock& operator=(const SharedClock&) = delete;

    // While it lives, its thread has the chip, and nobody serves.
    class Turn {
     public:
        explicit Turn(SharedClock& clock) : clock_{clock} {
            ++clock_.wanted_;
            clock_.mutex_.lock();
        }
        ~Turn() {
            --clock_.wanted_;
            clock_.mutex_.unlock();
            clock_.free_.notify_all();
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

     private:
        SharedClock& clock_;
    };

    // In a turn: moves the clock to the begin of the run; returns what prevents that.
    std::optional<Diagnostic> begin_run();
    void end_run() { links_->end_run(); }
    // A run that is not carried out ends when it could have begun.
    void skip_run();

    // Windows by chip, in a file of this number; the other chips do the same. Returns what prevents that.
    std::optional<Diagnostic> join_windows(const std::vector<std::pair<unsigned, uint64_t>>& windows, uint64_t bytes,
                                           uint64_t file);
    // The chip's own window in a file of this number; one that another chip has offered.
    std::optional<Diagnostic> offer_window(uint64_t address, uint64_t bytes, uint64_t file);
    std::optional<Diagnostic> import_window(uint64_t here, uint64_t bytes, uint64_t file);
    void leave_windows(std::pair<uint64_t, uint64_t> range);
    bool chips_live() const { return links_ == nullptr || links_->processes_run(); }
    unsigned chip() const { return chip_; }
    // What went over the links, up to the end.
    const std::vector<Links::Traffic>& traffic() const { return traffic_; }
    // The others need not wait for this chip any more.
    void end();

 private:
    void serve();
    // Waits until `found` has a value, while the host runs, and for a limited time.
    template <class Found>
    auto await(const Found& found) const -> decltype(found());
    std::optional<Diagnostic> offer(uint64_t address, uint64_t bytes, uint64_t file);
    std::optional<Diagnostic> add_window(unsigned chip, uint64_t here, Job::Offered there, uint64_t bytes);

    Session& session_;
    Job job_;
    const unsigned chip_;
    std::unique_ptr<Links> links_;
    std::vector<Links::Traffic> traffic_;
    std::mutex mutex_;
    std::condition_variable free_;
    std::atomic<unsigned> wanted_ = 0;
    std::vector<std::pair<uint64_t, uint64_t>> offered_;  // file and address
};

}  // namespace ptosim::mpmd
