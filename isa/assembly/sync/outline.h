// A function whose flags are wanted, as numbered places: what does not change while flags come and
// go. Part of the inserting of flags (insertion.h).
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "isa/assembly/sync/bits.h"
#include "isa/assembly/sync/insertion.h"

namespace ptosim::assembly::sync {

constexpr size_t kNone = SIZE_MAX;

// A node of the function with its place in it. Works are numbered in the order of the text, and so
// are nodes; a node holds the works [first, last).
struct Place {
    const SyncNode* node = nullptr;
    size_t parent = kNone;  // place
    size_t block = 0;       // of the parent's blocks
    size_t first = 0, last = 0;
    std::vector<std::vector<size_t>> children;  // by block
};

// A loop whose rounds are told apart. What was started in it has an age: the rounds since, `period`
// for all that are older, and one more for those of an earlier run. Where every run has a multiple
// of `period` rounds, a run goes on where the one before it ended.
struct Wheel {
    size_t place = kNone;
    unsigned period = 2;
    bool endless = false;
    uint64_t trips = 0;  // if endless

    unsigned ages() const { return period + 2; }
};

constexpr size_t kMostWheels = 2;  // around one instruction
using Ages = std::array<unsigned, kMostWheels>;

// The bits of a work or a wait: one for each age in each of the wheels around it, the outer first.
struct Span {
    size_t first = 0, size = 1;
    std::array<size_t, kMostWheels> wheels{kNone, kNone};
};

class Outline {
 public:
    explicit Outline(const SyncBlock& body);
    Outline(const Outline&) = delete;
    Outline& operator=(const Outline&) = delete;

    // Tells apart the rounds of the loops that have a period, but of those at the places `without`;
    // at most kMostWheels one in another, the inner ones first, and none at all in a function that
    // would need too many bits.
    void find_wheels(const std::set<size_t>& without);

    const std::vector<Place>& places() const { return places_; }
    const std::vector<Wheel>& wheels() const { return wheels_; }
    size_t works() const { return works_.size(); }
    size_t place_of(size_t work) const { return works_[work]; }
    const SyncNode& work(size_t w) const { return *places_[works_[w]].node; }
    size_t wheel_of(size_t place) const { return wheel_of_[place]; }
    bool is_loop(size_t place) const;
    // From the function itself to the place itself.
    std::vector<size_t> ancestors(size_t place) const;
    bool inside(size_t work, const Wheel& wheel) const {
        return places_[wheel.place].first <= work && work < places_[wheel.place].last;
    }

    // The bits of the works come first.
    size_t work_bits() const { return work_bits_; }
    const Span& span_of(size_t work) const { return work_spans_[work]; }
    const std::vector<Span>& work_spans() const { return work_spans_; }
    size_t work_of(size_t bit) const;
    // Takes bits from `next` on.
    Span span_at(size_t place, size_t& next) const;
    size_t bit(const Span& span, const Ages& ages) const;
    Ages ages_of(const Span& span, size_t bit) const;
    // Which of a span's ages counts the rounds of that wheel; kMostWheels: none.
    static size_t age_in(const Span& span, size_t wheel);

 private:
    void number_block(const SyncBlock& block, size_t parent, size_t at);
    void number_bits();

    SyncNode root_;
    std::vector<Place> places_;
    std::vector<size_t> works_;  // places
    std::vector<Wheel> wheels_;
    std::vector<size_t> wheel_of_;  // by place
    std::vector<Span> work_spans_;
    size_t work_bits_ = 0;
};

// By work: the bits of the works that it must find complete.
std::vector<Bits> find_conflicts(const Outline& outline, Arch arch);

}  // namespace ptosim::assembly::sync
