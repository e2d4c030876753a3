// A function that is to get flags, with its nodes numbered: the part that stays the same while flags are added and
// removed. Part of flag insertion (insertion.h).
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

// A node and its place in the tree of blocks. Positions are numbered in the order of the text, and so are the works
// (nodes of kind kWork); a node holds the works [first, last).
struct Position {
    const SyncNode* node = nullptr;
    size_t parent = kNone;  // position
    size_t block = 0;       // of the parent's blocks
    size_t first = 0, last = 0;
    std::vector<std::vector<size_t>> children;  // by block
};

// A loop whose iterations are distinguished because their footprints repeat after `period` of them. Work started in it
// has an age: the number of iterations since then, `period` for all older work, and `period` + 1 for work of an earlier
// run of the loop. If every run has a multiple of `period` iterations, a run continues where the one before it ended.
struct PeriodicLoop {
    size_t position = kNone;
    unsigned period = 2;
    bool continues = false;
    uint64_t trips = 0;  // iterations of every run, if it continues

    unsigned ages() const { return period + 2; }
};

constexpr size_t kMostPeriodicLoops = 2;  // around one instruction
using Ages = std::array<unsigned, kMostPeriodicLoops>;

// The bits of a work or a wait: one for each age in each of the periodic_loops around it, the outer
// first.
struct Span {
    size_t first = 0, size = 1;
    std::array<size_t, kMostPeriodicLoops> periodic_loops{kNone, kNone};
};

class Outline {
 public:
    explicit Outline(const SyncBlock& body);
    Outline(const Outline&) = delete;
    Outline& operator=(const Outline&) = delete;

    // Distinguishes the iterations of the loops that have a period, except those
    // at the positions `without`; at most kMostPeriodicLoops nested ones, inner
    // ones first, and none at all in a function that would need too many bits.
    void find_periodic_loops(const std::set<size_t>& without);

    const std::vector<Position>& positions() const { return positions_; }
    const std::vector<PeriodicLoop>& periodic_loops() const { return periodic_loops_; }
    size_t works() const { return works_.size(); }
    size_t position_of(size_t work) const { return works_[work]; }
    const SyncNode& work(size_t w) const { return *positions_[works_[w]].node; }
    size_t periodic_loop_of(size_t position) const { return periodic_loop_of_[position]; }
    bool is_loop(size_t position) const;
    // From the function itself to the position itself.
    std::vector<size_t> ancestors(size_t position) const;
    bool inside(size_t work, const PeriodicLoop& periodic) const {
        return positions_[periodic.position].first <= work &&
               work < positions_[periodic.position].last;
    }

    // The bits of the works come first.
    size_t work_bits() const { return work_bits_; }
    const Span& span_of(size_t work) const { return work_spans_[work]; }
    const std::vector<Span>& work_spans() const { return work_spans_; }
    size_t work_of(size_t bit) const;
    // Takes bits from `next` on.
    Span span_at(size_t position, size_t& next) const;
    size_t bit(const Span& span, const Ages& ages) const;
    Ages ages_of(const Span& span, size_t bit) const;
    // Index of the span's age that counts the iterations of that periodic loop; kMostPeriodicLoops: none.
    static size_t age_in(const Span& span, size_t periodic);

 private:
    void number_block(const SyncBlock& block, size_t parent, size_t at);
    void number_bits();

    SyncNode root_;
    std::vector<Position> positions_;
    std::vector<size_t> works_;  // positions
    std::vector<PeriodicLoop> periodic_loops_;
    std::vector<size_t> periodic_loop_of_;  // by position
    std::vector<Span> work_spans_;
    size_t work_bits_ = 0;
};

// By work: the bits of the works that it must find complete.
std::vector<Bits> find_conflicts(const Outline& outline, Arch arch);

}  // namespace ptosim::assembly::sync
