// The cycles in which lanes have something to do: a ring of cycles from now on, each with a bit for
// each lane, and the next cycle of each lane beyond the ring.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/machine/event/cycle.h"

namespace ptosim {

class LaneCalendar {
 public:
    static constexpr Cycle kNever = std::numeric_limits<Cycle>::max();
    static constexpr unsigned kNone = std::numeric_limits<unsigned>::max();

    // Empties it, for lanes 0 to `lanes` - 1.
    void begin(unsigned lanes, Cycle now);
    // Lane `lane` has something to do at `time`, which is not before now.
    void add(unsigned lane, Cycle time) {
        if (time - base_ >= kRing) [[unlikely]]
            return add_far(lane, time);
        const size_t slot = time % kRing;
        ring_[slot * words_ + lane / 64] |= uint64_t{1} << lane % 64;
        used_[slot / 64] |= uint64_t{1} << slot % 64;
    }
    // The earliest cycle with a lane; kNever if there is none.
    Cycle next() const {
        const Cycle near = first_in_ring();
        return near < earliest_far_ ? near : earliest_far_;
    }
    // The first lane of this cycle, the earliest with a lane.
    unsigned first(Cycle time) const;
    void remove(unsigned lane, Cycle time);
    // It is `now`, which is not after the earliest cycle with a lane.
    void advance(Cycle now) {
        base_ = now;
        if (earliest_far_ - now < kRing) [[unlikely]]
            bring_near();
    }
    // Takes out the first lane of the present cycle; kNone if there is none.
    unsigned take() {
        const size_t slot = base_ % kRing;
        uint64_t* const lanes = &ring_[slot * words_];
        for (unsigned word = 0; word < words_; ++word) {
            if (lanes[word] == 0) continue;
            const auto bit = static_cast<unsigned>(std::countr_zero(lanes[word]));
            lanes[word] &= lanes[word] - 1;
            return word * 64 + bit;
        }
        used_[slot / 64] &= ~(uint64_t{1} << slot % 64);
        return kNone;
    }

 private:
    static constexpr Cycle kRing = 2048;

    void add_far(unsigned lane, Cycle time);
    Cycle first_in_ring() const;
    void bring_near();

    Cycle base_ = 0;  // now: the ring holds the cycles [base_, base_ + kRing)
    unsigned words_ = 1;
    std::vector<uint64_t> ring_ =
        std::vector<uint64_t>(kRing);          // by cycle modulo kRing, words_ of each
    std::array<uint64_t, kRing / 64> used_{};  // cycles of the ring that have lanes
    std::vector<Cycle> far_;                   // by lane; kNever: none
    Cycle earliest_far_ = kNever;
};

}  // namespace ptosim
