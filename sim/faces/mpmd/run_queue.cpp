#include "sim/faces/mpmd/run_queue.h"

#include <unistd.h>

#include <thread>
#include <utility>

namespace ptosim::mpmd {

void RunQueue::take_part(Participant& participant, ptosim_mpmd_size size) {
    std::unique_lock lock(mutex_);
    if (process_ != getpid()) {  // a child of fork() lacks the serving thread
        process_ = getpid();
        serving_ = false;
    }
    arrived_.push_back(&participant);
    if (arrived_.size() == size_t{size.processors} + size.cores) {
        runs_.push_back(std::exchange(arrived_, {}));
        if (!std::exchange(serving_, true)) std::thread([this] { serve(); }).detach();
        changed_.notify_all();
    }
    changed_.wait(lock, [&] { return participant.done; });
}

void RunQueue::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return !runs_.empty(); });
        const Participants participants = std::move(runs_.front());
        runs_.pop_front();
        running_ = true;
        lock.unlock();
        run_(participants);
        lock.lock();
        running_ = false;
        for (Participant* participant : participants) participant->done = true;
        changed_.notify_all();
    }
}

}  // namespace ptosim::mpmd
