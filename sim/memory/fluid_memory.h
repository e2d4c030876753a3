// Bandwidth that transfers in flight share: max-min fair over several resources, and over the
// places of memory that several of them read at once; recomputed when a transfer starts or ends.
// Integer throughout: rates are thousandths of bytes per cycle, completions round up to a cycle.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/event/cycle.h"
#include "sim/model/chip_model.h"

namespace ptosim {

class FluidMemory {
 public:
    enum Resource : unsigned { kL2Read, kL2Write, kHbm, kResources };
    // What a byte of a transfer takes of each resource, in thousandths of bytes.
    using Use = std::array<uint32_t, kResources>;
    // What takes one reader's request after the other: which one (a small number of the caller's),
    // and for how long a byte of the transfer holds it, in millionths of cycles.
    struct Place {
        static constexpr uint32_t kNone = UINT32_MAX;
        uint32_t number = kNone;
        uint64_t held = 0;
    };

    struct Flow {
        uint64_t remaining = 0;  // thousandths of bytes at `since`, when it got its rate
        Cycle since = 0;
        Cycle end = 0;
        Milli limit = 0;
        Milli rate = 0;
        Use use{};
        Place place;
        void* owner = nullptr;
    };

    explicit FluidMemory(const std::array<Milli, kResources>& capacity) : capacity_{capacity} {}
    // `now` must not go back. Adds a transfer of `bytes` bytes, at most `limit` fast.
    void add(Cycle now, uint64_t bytes, Milli limit, const Use& use, void* owner,
             const Place& place);
    void add(Cycle now, uint64_t bytes, Milli limit, const Use& use, void* owner) {
        add(now, bytes, limit, use, owner, Place{});
    }
    // Moves time on; appends the owners of flows that have ended, in the order they were added.
    void advance(Cycle now, std::vector<void*>& ended);
    // Bytes that go to HBM when nothing else asks for it, and how many of them have not gone yet.
    void put_off(uint64_t bytes) { put_off_ += bytes * 1000; }
    uint64_t put_off() const { return put_off_ / 1000; }
    // The cycle in which the next flow ends; UINT64_MAX if there is none.
    Cycle next_end() const { return next_end_; }

 private:
    void share();
    void set_rate(Flow& flow, Milli rate);
    void find_next_end();
    void want(const Flow& flow, bool more);
    void want_place(const Flow& flow, bool more);
    bool enough() const;
    bool crowded(const Place& place) const;
    void leave_unshared();

    std::array<Milli, kResources> capacity_;
    std::array<uint64_t, kResources> wanted_{};  // by all flows at their limits, in millionths
    std::vector<uint64_t> place_wanted_;         // of each place, by all flows at their limits
    unsigned crowded_ = 0;                       // places of which more is wanted than there is
    bool shared_ = false;                        // some flow has less than its limit
    uint64_t put_off_ = 0;                       // thousandths of bytes
    Milli spare_ = 0;                            // of HBM
    Cycle now_ = 0;
    Cycle next_end_ = UINT64_MAX;
    std::vector<Flow> flows_;  // in order of arrival
    std::vector<uint32_t> open_;
    std::vector<uint64_t> place_left_, place_weight_;  // by place, while it is shared
};

}  // namespace ptosim
