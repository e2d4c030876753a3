// Bandwidth that transfers in flight share: max-min fair over several resources, recomputed when
// a transfer starts or ends. Integer throughout: rates are thousandths of bytes per cycle,
// completions round up to a cycle.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/model/chip_model.h"
#include "sim/timing/cycle.h"

namespace ptosim {

class FluidMemory {
 public:
    enum Resource : unsigned { kL2Read, kL2Write, kHbm, kResources };
    // What a byte of a transfer takes of each resource, in thousandths of bytes.
    using Use = std::array<uint32_t, kResources>;

    struct Flow {
        uint64_t remaining = 0;  // thousandths of bytes at `since`, when it got its rate
        Cycle since = 0;
        Cycle end = 0;
        Milli limit = 0;
        Milli rate = 0;
        Use use{};
        void* owner = nullptr;
    };

    explicit FluidMemory(const std::array<Milli, kResources>& capacity) : capacity_{capacity} {}
    // `now` must not go back. Adds a transfer of `bytes` bytes, at most `limit` fast.
    void add(Cycle now, uint64_t bytes, Milli limit, const Use& use, void* owner);
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
    bool enough() const;
    void leave_unshared();

    std::array<Milli, kResources> capacity_;
    std::array<uint64_t, kResources> wanted_{};  // by all flows at their limits, in millionths
    bool shared_ = false;                        // some flow has less than its limit
    uint64_t put_off_ = 0;                       // thousandths of bytes
    Milli spare_ = 0;                            // of HBM
    Cycle now_ = 0;
    Cycle next_end_ = UINT64_MAX;
    std::vector<Flow> flows_;  // in order of arrival
    std::vector<uint32_t> open_;
};

}  // namespace ptosim
