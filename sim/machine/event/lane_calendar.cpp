#include "sim/machine/event/lane_calendar.h"

#include <algorithm>
#include <utility>

namespace ptosim {

void LaneCalendar::begin(unsigned lanes, Cycle now) {
    for (size_t i = 0; i < used_.size(); ++i) {  // the rest of the ring is empty
        if (used_[i] == 0) continue;
        std::fill_n(ring_.begin() + static_cast<ptrdiff_t>(i * 64 * words_), 64 * words_, 0);
        used_[i] = 0;
    }
    base_ = now;
    words_ = std::max(1u, (lanes + 63) / 64);
    ring_.resize(kRing * words_);
    far_.assign(lanes, kNever);
    earliest_far_ = kNever;
}

void LaneCalendar::add_far(unsigned lane, Cycle time) {
    if (time >= far_[lane]) return;
    far_[lane] = time;
    earliest_far_ = std::min(earliest_far_, time);
}

unsigned LaneCalendar::first(Cycle time) const {
    unsigned lane = kNone;
    if (time - base_ < kRing) {
        const uint64_t* const lanes = &ring_[time % kRing * words_];
        for (unsigned word = 0; word < words_ && lane == kNone; ++word)
            if (lanes[word] != 0)
                lane = word * 64 + static_cast<unsigned>(std::countr_zero(lanes[word]));
    }
    if (time != earliest_far_) return lane;
    return std::min(lane, static_cast<unsigned>(std::ranges::find(far_, time) - far_.begin()));
}

void LaneCalendar::remove(unsigned lane, Cycle time) {
    if (time - base_ < kRing) {
        const size_t slot = time % kRing;
        const auto lanes = ring_.begin() + static_cast<ptrdiff_t>(slot * words_);
        lanes[lane / 64] &= ~(uint64_t{1} << lane % 64);
        if (std::all_of(lanes, lanes + words_, [](uint64_t word) { return word == 0; }))
            used_[slot / 64] &= ~(uint64_t{1} << slot % 64);
    }
    if (far_[lane] != time) return;
    far_[lane] = kNever;
    earliest_far_ = std::ranges::min(far_);
}

Cycle LaneCalendar::first_in_ring() const {
    const size_t begin = base_ % kRing;
    const auto cycle = [&](size_t word, uint64_t bits) {
        const size_t slot = word * 64 + static_cast<size_t>(std::countr_zero(bits));
        return base_ + (slot + kRing - begin) % kRing;
    };
    const uint64_t from_begin = ~uint64_t{0} << begin % 64;
    const size_t first = begin / 64;
    if (const uint64_t bits = used_[first] & from_begin; bits != 0) return cycle(first, bits);
    for (size_t i = 1; i < used_.size(); ++i) {
        const size_t word = (first + i) % used_.size();
        if (used_[word] != 0) return cycle(word, used_[word]);
    }
    if (const uint64_t bits = used_[first] & ~from_begin; bits != 0) return cycle(first, bits);
    return kNever;
}

// Moves cycles that the ring covers now into it.
void LaneCalendar::bring_near() {
    earliest_far_ = kNever;
    for (unsigned lane = 0; lane < far_.size(); ++lane) {
        const Cycle time = std::exchange(far_[lane], kNever);
        if (time != kNever) add(lane, time);
    }
}

}  // namespace ptosim
