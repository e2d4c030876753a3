#include "sim/machine/event/apart_threads.h"

#include <algorithm>

namespace ptosim {
namespace {

constexpr unsigned kTimed = 48, kFirst = 16, kChosen = 2000;  // meetings of a stretch
constexpr unsigned kSpins = 4000;  // some tens of microseconds: nearly all meetings are shorter

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

ApartThreads::ApartThreads(unsigned threads, size_t lanes)
    : threads_{std::max(1u, std::min(threads, static_cast<unsigned>(lanes)))}, lanes_{lanes} {}

ApartThreads::~ApartThreads() {
    ends_ = true;
    ++round_;
    round_.notify_all();
    for (std::thread& thread : team_) thread.join();
}

void ApartThreads::run_all(Call call) {
    call_ = call;
    if (threads_ == 1 || !choose()) return run_part(0, 1);
    run_together();
}

// Ends a stretch if it has had its meetings. Returns whether the team runs this meeting.
bool ApartThreads::choose() {
    const unsigned most = stretch_ == Stretch::kFirst ? kFirst : stretch_ == Stretch::kChosen ? kChosen : kTimed;
    if (++meetings_ <= most) return together_;
    meetings_ = 1;
    const auto now = std::chrono::steady_clock::now();
    const auto took = now - begin_;
    begin_ = now;
    switch (stretch_) {
        case Stretch::kFirst:
        case Stretch::kChosen:
            stretch_ = Stretch::kAlone;
            return together_ = false;
        case Stretch::kAlone:
            stretch_ = Stretch::kTogether;
            alone_ = took;
            return together_ = true;
        case Stretch::kTogether:
            stretch_ = Stretch::kChosen;
            return together_ = took < alone_;
    }
    return together_;
}

void ApartThreads::run_together() {
    if (team_.empty())
        for (unsigned part = 1; part < threads_; ++part) team_.emplace_back([this, part] { work(part); });
    running_.store(threads_ - 1, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    run_part(0, threads_);
    unsigned running = running_.load(std::memory_order_acquire);
    for (unsigned spins = 0; running != 0 && spins < kSpins; ++spins) {
        pause();
        running = running_.load(std::memory_order_acquire);
    }
    while (running != 0) {
        running_.wait(running, std::memory_order_acquire);
        running = running_.load(std::memory_order_acquire);
    }
}

void ApartThreads::run_part(unsigned part, unsigned parts) const {
    for (size_t lane = part; lane < lanes_; lane += parts) call_.run(call_.with, lane);
}

void ApartThreads::work(unsigned part) {
    for (uint32_t seen = 0;;) {
        for (unsigned spins = 0; spins < kSpins && round_.load(std::memory_order_acquire) == seen; ++spins) pause();
        round_.wait(seen, std::memory_order_acquire);
        if (ends_) return;
        ++seen;
        run_part(part, threads_);
        running_.fetch_sub(1, std::memory_order_release);
        running_.notify_one();
    }
}

}  // namespace ptosim
