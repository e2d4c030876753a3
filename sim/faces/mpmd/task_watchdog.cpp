#include "sim/faces/mpmd/task_watchdog.h"

namespace ptosim::mpmd {
namespace {

constexpr uint64_t kLooksPerSecond = 1000;
constexpr unsigned kMostLooksWithoutProgress = 20;

}  // namespace

void TaskWatchdog::begin_run() {
    tasks_under_way_ = looks_without_progress_ = 0;
    progress_at_ = chip_.now();
    look_again();
}

void TaskWatchdog::look_again() {
    look_.notify(chip_.model().clock.value() / kLooksPerSecond);
}

void TaskWatchdog::look() {
    const uint64_t events = recorder_.completed() + counter_reads_;
    const bool progress = events != events_seen_ || tasks_under_way_ == 0;
    looks_without_progress_ = progress ? 0 : looks_without_progress_ + 1;
    events_seen_ = events;
    if (progress) progress_at_ = chip_.now();
    if (stops_ && looks_without_progress_ == kMostLooksWithoutProgress) return chip_.event_queue().stop();
    look_again();
}

}  // namespace ptosim::mpmd
