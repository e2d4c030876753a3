// Meeting of the ranks of a group: each leaves a record, and continues when it has the records of all.
//
// The state is in pages that the ranks' processes share. A rank is at most one round ahead of the others, because a
// round ends when all have joined it. Therefore two records per rank are enough.
#pragma once

#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <thread>

#include "sim/system/shared_pages.h"

namespace ptosim {

// Pages shared by the ranks. Zeroed pages are a meeting without participants.
struct MeetingPages {
    static constexpr unsigned kMostRanks = 64;
    static constexpr size_t kRecordBytes = 8192;
    enum State : uint32_t { kAway, kHere, kLeft };
    struct alignas(64) Seat {
        std::atomic<uint32_t> round;  // last round that the rank has joined
        std::atomic<uint32_t> state;
        std::atomic<int32_t> process;
        uint32_t bytes[2];  // of the two records
        std::byte record[2][kRecordBytes];
    };
    Seat seats[kMostRanks];
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

// Also false for a process that has ended and waits for its parent to notice.
inline bool process_runs(int process) {
    if (process <= 0 || kill(process, 0) != 0) return false;
    const std::string path = "/proc/" + std::to_string(process) + "/stat";
    char text[512] = {};
    if (FILE* const file = std::fopen(path.c_str(), "r"); file != nullptr) {
        const size_t length = std::fread(text, 1, sizeof text - 1, file);
        std::fclose(file);
        text[length] = 0;
        const char* const after_name = std::strrchr(text, ')');
        return after_name == nullptr || std::strchr("ZXx", after_name[2]) == nullptr;
    }
    return false;
}

class Meeting {
 public:
    using Clock = std::chrono::steady_clock;

    // The pages must outlive this object. A rank that does not join a first round within `patience` counts as absent.
    Meeting(MeetingPages& pages, unsigned rank, unsigned ranks, Clock::duration patience = Clock::duration::max())
        : pages_{pages}, rank_{rank}, ranks_{ranks}, patience_{patience} {
        mine().process = getpid();
        mine().state = MeetingPages::kHere;
    }

    unsigned rank() const { return rank_; }
    unsigned ranks() const { return ranks_; }

    // Leaves this rank's record, waits for the records of all, and calls take(rank, record) for each. While it waits,
    // it repeatedly calls meanwhile(waiting), where waiting() is true until the wait is over. Returns an absent rank,
    // if any: it has ended, or has never joined.
    template <class Take, class Meanwhile>
    std::optional<unsigned> exchange(std::span<const std::byte> record, const Take& take,
                                     const Meanwhile& meanwhile) {
        const uint32_t round = ++round_;
        MeetingPages::Seat& seat = mine();
        std::memcpy(seat.record[round % 2], record.data(), record.size());
        seat.bytes[round % 2] = static_cast<uint32_t>(record.size());
        seat.round.store(round, std::memory_order_release);
        for (unsigned rank = 0; rank < ranks_; ++rank)
            if (!await(rank, round, meanwhile)) return rank;
        for (unsigned rank = 0; rank < ranks_; ++rank) {
            const MeetingPages::Seat& other = pages_.seats[rank];
            take(rank, std::span(other.record[round % 2], other.bytes[round % 2]));
        }
        return {};
    }
    bool has_ever_come(unsigned rank) const { return pages_.seats[rank].process != 0; }
    // This rank joins no further round.
    void leave() { mine().state = MeetingPages::kLeft; }

 private:
    MeetingPages::Seat& mine() { return pages_.seats[rank_]; }

    // Returns false if the rank is absent.
    template <class Meanwhile>
    bool await(unsigned rank, uint32_t round, const Meanwhile& meanwhile) {
        const MeetingPages::Seat& seat = pages_.seats[rank];
        const auto has_come = [&] { return seat.round.load(std::memory_order_acquire) >= round; };
        const Clock::time_point begin = Clock::now();
        Clock::time_point look = begin + kBetweenLooks;
        for (unsigned i = 0; !has_come(); ++i) {
            meanwhile([&] { return !has_come(); });
            if (i < 100) {
                std::this_thread::yield();
            } else {
                std::this_thread::sleep_for(std::chrono::microseconds(i < 1000 ? 50 : 500));
            }
            if (Clock::now() < look) continue;
            look = Clock::now() + kBetweenLooks;
            const bool gone = seat.state == MeetingPages::kLeft ||
                              (has_ever_come(rank) ? !process_runs(seat.process) : Clock::now() - begin > patience_);
            if (gone && !has_come()) return false;
        }
        return true;
    }

    static constexpr std::chrono::milliseconds kBetweenLooks{50};

    MeetingPages& pages_;
    const unsigned rank_, ranks_;
    const Clock::duration patience_;
    uint32_t round_ = 0;
};

}  // namespace ptosim
