// Bandwidth shared by transfers in flight: max-min fair over several resources, and over windows of memory that several
// of them read at once. Recomputed when a transfer starts or ends. Integer throughout: rates are thousandths of bytes
// per cycle, and completions round up to a cycle.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/machine/event/cycle.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim {

class FluidMemory {
 public:
    enum Resource : unsigned { kL2Read, kL2Write, kL2Both, kHbm, kResources };
    // Use of each resource by a byte of a transfer, in thousandths of bytes.
    using Use = std::array<uint32_t, kResources>;
    // Transfers that read the same window at one time are served one request after the other. `number` identifies the
    // window (small, given by the caller); `occupied` is the time for which a byte of this transfer occupies it,
    // in millionths of cycles.
    struct Window {
        static constexpr uint32_t kNone = UINT32_MAX;
        uint32_t number = kNone;
        uint64_t occupied = 0;
    };

    // The cores of this chip, or other chips.
    enum class Owner : uint8_t { kCores, kPeers };

    struct Flow {
        uint64_t remaining = 0;  // thousandths of bytes at `since`, when it got its rate
        Cycle since = 0;
        Cycle end = 0;
        Milli limit = 0;
        Milli rate = 0;
        Use use{};
        Window window;
        void* owner = nullptr;
        Owner whose = Owner::kCores;
    };

    explicit FluidMemory(const std::array<Milli, kResources>& capacity) : capacity_{capacity} {}
    // Adds a transfer of `bytes` bytes with at most the rate `limit`. `now` must not decrease.
    void add(Cycle now, uint64_t bytes, Milli limit, const Use& use, void* owner,
             const Window& window, Owner whose = Owner::kCores);
    void add(Cycle now, uint64_t bytes, Milli limit, const Use& use, void* owner) {
        add(now, bytes, limit, use, owner, Window{});
    }
    // Advances time; appends the owners of finished flows, in the order in which they were added.
    void advance(Cycle now, std::vector<void*>& ended);
    // Written bytes that have not gone to HBM yet. They go when nothing else needs it.
    void defer_write(uint64_t bytes) { deferred_ += bytes * 1000; }
    uint64_t deferred_writes() const { return deferred_ / 1000; }
    // The cycle in which the next flow of cores, or of other chips, ends; UINT64_MAX if there is none.
    Cycle next_end(Owner whose = Owner::kCores) const { return next_end_[static_cast<size_t>(whose)]; }

    // Calls f(owner, end) for each flow, where `end` is the earliest cycle in which it can end, whatever is added.
    // Nothing else has happened until `now`.
    template <class F>
    void for_least_ends(Cycle now, F&& f) const {
        for (const Flow& flow : flows_) {
            if (flow.rate == flow.limit || flow.end <= now) {
                f(flow.owner, flow.end);
                continue;
            }
            const uint64_t remaining = flow.remaining - flow.rate * (now - flow.since);
            f(flow.owner, now + (remaining + flow.limit - 1) / flow.limit);
        }
    }

    // At present: the number of flows, the sum of their rates, and the part of a resource that they use, in thousandths.
    uint64_t transfers() const { return flows_.size(); }
    Milli rate() const;
    uint64_t used(Resource resource) const;

 private:
    void share();
    void set_rate(Flow& flow, Milli rate);
    void note_end(const Flow& flow);
    void find_next_end();
    void change_demand(const Flow& flow, bool more);
    void change_window_demand(const Flow& flow, bool more);
    bool capacity_suffices() const;
    bool oversubscribed(const Window& window) const;
    void find_spare();

    std::array<Milli, kResources> capacity_;
    std::array<uint64_t, kResources> demand_{};  // by all flows at their limits, in millionths
    std::vector<uint64_t> window_demand_;        // of each window, by all flows at their limits
    unsigned oversubscribed_ = 0;                // windows whose demand exceeds their capacity
    bool shared_ = false;                        // some flow has less than its limit
    uint64_t deferred_ = 0;                      // thousandths of bytes
    Milli spare_ = 0;                            // of HBM
    Cycle now_ = 0;
    std::array<Cycle, 2> next_end_{UINT64_MAX, UINT64_MAX};  // by owner
    std::vector<Flow> flows_;  // in order of arrival
    std::vector<uint32_t> open_;
    std::vector<uint64_t> window_left_, window_weight_;  // by window, while it is shared
};

}  // namespace ptosim
