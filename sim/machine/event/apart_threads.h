// Threads that run lanes between their meetings. Each lane belongs to one of them. They begin after a number of meetings,
// because most launches are shorter than it takes to make a thread, and end with this object, because a program may fork
// between launches. They work only where they save time: on a host whose processors are busy, threads that meet every
// few microseconds are slower than one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace ptosim {

class ApartThreads {
 public:
    ApartThreads(unsigned threads, size_t lanes);
    ~ApartThreads();
    ApartThreads(const ApartThreads&) = delete;
    ApartThreads& operator=(const ApartThreads&) = delete;

    // Calls run(lane) for each lane, which must not throw, and returns after the last has returned.
    template <class Run>
    void run(Run&& run) {
        run_all({[](void* with, size_t lane) { (*static_cast<std::remove_reference_t<Run>*>(with))(lane); }, &run});
    }

 private:
    struct Call {
        void (*run)(void*, size_t) = nullptr;
        void* with = nullptr;
    };
    void run_all(Call call);
    void run_together();
    bool choose();
    void run_part(unsigned part, unsigned parts) const;
    void work(unsigned part);

    const unsigned threads_;
    const size_t lanes_;
    // Meetings come in stretches, each with or without the team. Both are timed, and the faster one is used for a while.
    unsigned meetings_ = 0;  // of this stretch
    enum class Stretch : uint8_t { kFirst, kAlone, kTogether, kChosen };
    Stretch stretch_ = Stretch::kFirst;
    bool together_ = false;
    std::chrono::steady_clock::time_point begin_;
    std::chrono::steady_clock::duration alone_{};
    Call call_;
    std::atomic<uint32_t> round_{0};      // increases when there is something to run
    std::atomic<unsigned> running_{0};    // threads that have not finished this round
    std::atomic<bool> ends_{false};
    std::vector<std::thread> team_;
};

}  // namespace ptosim
