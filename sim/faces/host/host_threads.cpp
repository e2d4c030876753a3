#include "sim/faces/host/host_threads.h"

#include <algorithm>
#include <optional>

namespace ptosim {
namespace {

constexpr std::chrono::milliseconds kPatience{200};
constexpr std::chrono::seconds kMostSilence{60};

}  // namespace

// Of the calling thread, until it ends.
struct HostThreads::Registration {
    HostThreads* threads = nullptr;
    Thread* thread = nullptr;
    ~Registration() {
        if (threads == nullptr) return;
        const std::lock_guard lock(threads->mutex_);
        threads->threads_.remove_if([&](const Thread& each) { return &each == thread; });
        own() = nullptr;
        threads->notify();
    }
};

// A plain pointer, because a thread may make calls after its registration has been destroyed.
HostThreads::Thread*& HostThreads::own() {
    thread_local Thread* thread = nullptr;
    return thread;
}

void HostThreads::come() {
    thread_local Registration registration;
    ++calls_;
    if (own() == nullptr && registration.threads == nullptr) {
        const std::lock_guard lock(mutex_);
        own() = &threads_.emplace_back();
        registration.threads = this;
        registration.thread = own();
    }
    enter(State::kPresent);
}

// Returns true if the calling thread was in another state.
bool HostThreads::enter(State state) {
    if (own() == nullptr) return false;
    const std::lock_guard lock(mutex_);
    const bool changes = own()->state != state;
    own()->enter(state);
    return changes;
}

HostThreads::Wait::Wait(HostThreads& threads, const void* device) : threads_{threads}, device_{device} { resume(); }

void HostThreads::Wait::resume() {
    if (own() != nullptr) own()->device = device_;
    if (threads_.enter(State::kWaits)) threads_.notify();
}

HostThreads::Wait::~Wait() {
    threads_.enter(State::kPresent);
    threads_.notify();
}

void HostThreads::release(const void* device) {
    const std::lock_guard lock(mutex_);
    for (Thread& each : threads_)
        if (each.state == State::kWaits && each.device == device) each.enter(State::kPresent);
}

bool HostThreads::all_wait(std::mutex& held) {
    const Clock::time_point now = Clock::now();
    std::optional<Clock::time_point> first;  // the first time at which a present thread counts as away
    {
        const std::lock_guard lock(mutex_);
        for (Thread& each : threads_) {
            if (each.state != State::kPresent) continue;
            const Clock::time_point away = each.since + kPatience;
            if (away <= now)
                each.enter(State::kAway);
            else
                first = std::min(first.value_or(away), away);
        }
    }
    if (!first) return true;
    changed_.wait_until(held, *first);
    return false;
}

bool HostThreads::await_call(std::mutex& held) {
    {
        const std::lock_guard lock(mutex_);
        if (std::ranges::none_of(threads_, [](const Thread& each) { return each.state == State::kAway; })) return false;
    }
    const uint64_t before = calls_;
    return changed_.wait_for(held, kMostSilence, [&] { return calls_ != before; });
}

}  // namespace ptosim
