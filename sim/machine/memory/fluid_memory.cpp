#include "sim/machine/memory/fluid_memory.h"

#include <algorithm>
#include <limits>

namespace ptosim {
namespace {

constexpr uint64_t kWindowCycle = 1'000'000'000;  // a cycle, in thousandths of millionths

}  // namespace

Milli FluidMemory::rate() const {
    Milli rate = 0;
    for (const Flow& flow : flows_) rate += flow.rate;
    return rate;
}

uint64_t FluidMemory::used(Resource resource) const {
    uint64_t use = 0;
    for (const Flow& flow : flows_) use += uint64_t{flow.rate} * flow.use[resource];
    return capacity_[resource] == 0 ? 0 : use / capacity_[resource];
}

void FluidMemory::change_demand(const Flow& flow, bool more) {
    for (unsigned r = 0; r < kResources; ++r) {
        const uint64_t amount = flow.limit * flow.use[r];
        demand_[r] = more ? demand_[r] + amount : demand_[r] - amount;
    }
    if (flow.window.number != Window::kNone) change_window_demand(flow, more);
}

void FluidMemory::change_window_demand(const Flow& flow, bool more) {
    if (flow.window.number >= window_demand_.size()) window_demand_.resize(flow.window.number + 1);
    uint64_t& demand = window_demand_[flow.window.number];
    const bool before = demand > kWindowCycle;
    const uint64_t amount = flow.limit * flow.window.occupied;
    demand = more ? demand + amount : demand - amount;
    const bool after = demand > kWindowCycle;
    if (after != before) oversubscribed_ = after ? oversubscribed_ + 1 : oversubscribed_ - 1;
}

bool FluidMemory::oversubscribed(const Window& window) const {
    return oversubscribed_ > 0 && window.number != Window::kNone &&
           window_demand_[window.number] > kWindowCycle;
}

bool FluidMemory::capacity_suffices() const {
    if (oversubscribed_ > 0) return false;
    for (unsigned r = 0; r < kResources; ++r)
        if (demand_[r] > capacity_[r] * 1000) return false;
    return true;
}

void FluidMemory::add(Cycle now, uint64_t bytes, Milli limit, const Use& use, void* owner,
                      const Window& window, Owner whose) {
    now_ = now;
    Flow& flow = flows_.emplace_back();
    flow.remaining = bytes * 1000;
    flow.since = now;
    flow.limit = std::max<Milli>(1, limit);
    flow.use = use;
    flow.window = window;
    flow.owner = owner;
    flow.whose = whose;
    change_demand(flow, true);
    if (!shared_ && capacity_suffices()) {
        set_rate(flow, flow.limit);
        note_end(flow);
        find_spare();
    } else {
        share();
    }
}

// Deferred writes get the part of HBM that transfers at their limits leave.
void FluidMemory::find_spare() { spare_ = capacity_[kHbm] - demand_[kHbm] / 1000; }

// If the rate does not change, the end does not change.
void FluidMemory::set_rate(Flow& flow, Milli rate) {
    if (rate == flow.rate) return;
    flow.remaining -= flow.rate * (now_ - flow.since);
    flow.since = now_;
    flow.rate = rate;
    flow.end = now_ + (flow.remaining + rate - 1) / rate;
}

void FluidMemory::note_end(const Flow& flow) {
    Cycle& next = next_end_[static_cast<size_t>(flow.whose)];
    next = std::min(next, flow.end);
}

void FluidMemory::find_next_end() {
    next_end_.fill(std::numeric_limits<Cycle>::max());
    for (const Flow& flow : flows_) note_end(flow);
}

void FluidMemory::advance(Cycle now, std::vector<void*>& ended) {
    deferred_ -= std::min(deferred_, spare_ * (now - now_));
    now_ = now;
    if (now < std::min(next_end_[0], next_end_[1])) return;
    size_t kept = 0;
    for (Flow& flow : flows_) {
        if (flow.end <= now) {
            change_demand(flow, false);
            ended.push_back(flow.owner);
        } else {
            if (&flows_[kept] != &flow) flows_[kept] = flow;
            ++kept;
        }
    }
    flows_.resize(kept);
    if (shared_) {
        share();
    } else {
        find_next_end();
        find_spare();
    }
}

// Water filling: all rates rise together. A flow stops at its limit, and all flows of a resource or window stop when it
// is exhausted, which only oversubscribed ones can be.
void FluidMemory::share() {
    shared_ = !capacity_suffices();
    if (!shared_) {
        for (Flow& flow : flows_) set_rate(flow, flow.limit);
        find_next_end();
        find_spare();
        return;
    }
    std::array<uint64_t, kResources> left{};
    for (unsigned r = 0; r < kResources; ++r) left[r] = capacity_[r] * 1000;
    open_.resize(flows_.size());
    for (uint32_t i = 0; i < open_.size(); ++i) open_[i] = i;
    window_left_.assign(window_demand_.size(), kWindowCycle);
    Milli level = 0;
    while (!open_.empty()) {
        std::array<uint64_t, kResources> weight{};
        window_weight_.assign(window_demand_.size(), 0);
        Milli step = std::numeric_limits<Milli>::max();
        for (uint32_t i : open_) {
            const Flow& flow = flows_[i];
            step = std::min(step, flow.limit - level);
            for (unsigned r = 0; r < kResources; ++r) weight[r] += flow.use[r];
            if (oversubscribed(flow.window))
                window_weight_[flow.window.number] += flow.window.occupied;
        }
        for (size_t p = 0; p < window_weight_.size(); ++p)
            if (window_weight_[p] > 0) step = std::min(step, window_left_[p] / window_weight_[p]);
        for (unsigned r = 0; r < kResources; ++r)
            if (weight[r] > 0) step = std::min(step, left[r] / weight[r]);
        level += step;
        std::array<bool, kResources> full{};
        for (unsigned r = 0; r < kResources; ++r) {
            left[r] -= step * weight[r];
            full[r] = weight[r] > 0 && left[r] < weight[r];
        }
        for (size_t p = 0; p < window_weight_.size(); ++p)
            window_left_[p] -= step * window_weight_[p];
        const auto stops = [&](uint32_t i) {
            Flow& flow = flows_[i];
            bool stop = flow.limit <= level;
            for (unsigned r = 0; r < kResources; ++r) stop = stop || (full[r] && flow.use[r] > 0);
            stop = stop || (oversubscribed(flow.window) &&
                            window_left_[flow.window.number] < window_weight_[flow.window.number]);
            if (stop) set_rate(flow, std::max<Milli>(1, level));
            return stop;
        };
        open_.erase(std::remove_if(open_.begin(), open_.end(), stops), open_.end());
    }
    spare_ = left[kHbm] / 1000;
    find_next_end();
}

}  // namespace ptosim
