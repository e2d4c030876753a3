// Records the events of a warp's lanes, lane by lane, and merges them into instructions of the warp.
//
// The events of all lanes make a graph of the places of the code. Lanes that diverge meet again at the nearest place that
// all of them pass, which the graph's post-dominators give, as on a device, where the compiler marks it.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "isa/core/thread_run.h"
#include "ptosim/threads.h"

namespace ptosim {

class ThreadLog {
 public:
    // Events of a lane until it lets others run.
    static constexpr unsigned kEvents = 512;

    ThreadLog();

    // A warp begins to run, or continues.
    void begin_warp() {
        ends_ = begins_;
        steps_.clear();
    }
    // A lane runs: the place of its next event, and where its room ends.
    ptosim_thread_event* next(unsigned lane) const { return ends_[lane]; }
    ptosim_thread_event* limit(unsigned lane) const { return begins_[lane] + kEvents; }
    // The lane has stopped, having written events up to `next`.
    void keep(unsigned lane, ptosim_thread_event* next) { ends_[lane] = next; }

    // These lanes go on from one place of the code, each to its next event.
    void step(uint32_t lanes) { steps_.push_back(lanes); }

    // Begins to merge the events of the warp since begin_warp(). With `as_executed` they come in
    // the order of the steps, without it as if no order had been known.
    void begin_merge(uint16_t warp, bool as_executed = false);
    // Its lanes with further events.
    uint32_t lanes() const { return left_; }
    // Gives the next instruction of the warp; false: there is none.
    bool merge_next(WarpInstruction& done);

 private:
    static constexpr uint32_t kExit = 0;  // the place after all code
    // A place of the code.
    struct Site {
        const void* code = nullptr;
        std::vector<uint32_t> next{};  // places that threads have gone to from here
        uint32_t junction = kExit;     // between this place and some of these
    };
    // Lanes that execute the same code until they come to a place.
    struct Path {
        uint32_t lanes = 0;
        uint32_t until = kExit;
    };

    bool merge_next_step(WarpInstruction& done);
    bool are_together() const;
    void note_sites(unsigned lane);
    uint32_t site_of(const void* code);
    void find_junctions();
    bool is_in_loop(uint32_t node) const;
    void find_meetings();
    uint32_t meeting(uint32_t a, uint32_t b) const;
    uint32_t meeting(const std::vector<uint32_t>& nodes) const;
    // The junction at which a lane is, having left the place before it; kExit: none.
    uint32_t junction(unsigned lane) const;
    void split(uint32_t lanes);
    void execute(uint32_t lanes, WarpInstruction& done);
    uint32_t here(unsigned lane) const { return place_[lane][static_cast<size_t>(at_[lane] - begins_[lane])]; }

    // One more than the events of a lane: an event looks at the one before.
    std::unique_ptr<ptosim_thread_event[]> events_;
    std::array<ptosim_thread_event*, kWarpLanes> begins_{}, ends_{}, at_{};
    std::array<std::vector<uint32_t>, kWarpLanes> place_{};  // of the events, if lanes diverge
    std::vector<Site> sites_;
    std::unordered_map<const void*, uint32_t> numbers_;
    // The graph's nodes are the places, then the junctions. Of each: the nodes after it, the nearest one that all threads
    // pass after it, and its number in a walk of the graph from its end.
    std::vector<std::vector<uint32_t>> next_;
    std::vector<uint32_t> after_, order_;
    std::vector<std::vector<uint32_t>> junctions_;  // places after each
    bool changed_ = false;     // the graph, since find_meetings()
    std::vector<uint32_t> steps_;  // lanes of each
    size_t step_ = 0;              // of the next event
    bool as_executed_ = false;
    std::vector<Path> paths_;  // the last one executes
    bool together_ = false;    // no lane diverges
    uint16_t warp_ = 0;        // that is merged
    uint32_t left_ = 0;        // its lanes with further events
};

}  // namespace ptosim
