// Threads of a host that uses several devices. Their own work takes no simulated time: the clock moves only while all
// of them wait for devices, so times do not depend on the order in which the system runs them.
//
// A thread that has made no call for a while (it may wait for other threads) counts as away until its next call.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>

namespace ptosim {

class HostThreads {
 public:
    // The calling thread makes a call.
    void come();
    // The calling thread waits for a device, until release() or until this object is destroyed.
    class Wait {
     public:
        Wait(HostThreads& threads, const void* device);
        // The thread goes on waiting.
        void resume();
        ~Wait();
        Wait(const Wait&) = delete;
        Wait& operator=(const Wait&) = delete;

     private:
        HostThreads& threads_;
        const void* const device_;
    };
    // The wait for a device is over: its threads count as present, before they run.
    void release(const void* device);
    // Returns true if all threads wait or are away. Otherwise waits, with the held mutex released, for a change.
    bool all_wait(std::mutex& held);
    // Waits, with the held mutex released, for a call of a thread that is away. Returns false if there is none, or none
    // has come within a minute.
    bool await_call(std::mutex& held);
    // Something has changed for threads that wait for devices.
    void notify() { changed_.notify_all(); }

 private:
    enum class State : uint8_t { kPresent, kWaits, kAway };
    using Clock = std::chrono::steady_clock;
    struct Thread {
        State state = State::kPresent;
        const void* device = nullptr;  // for which it waits
        Clock::time_point since = Clock::now();  // present, or in another state, since then
        void enter(State next) { state = next, since = Clock::now(); }
    };
    struct Registration;
    static Thread*& own();
    bool enter(State state);

    std::mutex mutex_;  // of the list and its threads
    std::list<Thread> threads_;
    std::atomic<uint64_t> calls_ = 0;
    std::condition_variable_any changed_;
};

}  // namespace ptosim
