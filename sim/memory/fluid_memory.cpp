#include "sim/memory/fluid_memory.h"

#include <algorithm>
#include <limits>

namespace ptosim {

void FluidMemory::want(const Flow& flow, bool more) {
    for (unsigned r = 0; r < kResources; ++r) {
        const uint64_t amount = flow.limit * flow.use[r];
        wanted_[r] = more ? wanted_[r] + amount : wanted_[r] - amount;
    }
}

bool FluidMemory::enough() const {
    for (unsigned r = 0; r < kResources; ++r)
        if (wanted_[r] > capacity_[r] * 1000) return false;
    return true;
}

void FluidMemory::add(Cycle now, uint64_t bytes, Milli limit, const Use& use, void* owner) {
    now_ = now;
    Flow& flow = flows_.emplace_back();
    flow.remaining = bytes * 1000;
    flow.since = now;
    flow.limit = std::max<Milli>(1, limit);
    flow.use = use;
    flow.owner = owner;
    want(flow, true);
    if (!shared_ && enough()) {
        set_rate(flow, flow.limit);
        next_end_ = std::min(next_end_, flow.end);
        leave_unshared();
    } else {
        share();
    }
}

// What is put off gets what transfers that have their limits leave of HBM.
void FluidMemory::leave_unshared() { spare_ = capacity_[kHbm] - wanted_[kHbm] / 1000; }

// A rate that stays leaves the end where it is.
void FluidMemory::set_rate(Flow& flow, Milli rate) {
    if (rate == flow.rate) return;
    flow.remaining -= flow.rate * (now_ - flow.since);
    flow.since = now_;
    flow.rate = rate;
    flow.end = now_ + (flow.remaining + rate - 1) / rate;
}

void FluidMemory::find_next_end() {
    next_end_ = std::numeric_limits<Cycle>::max();
    for (const Flow& flow : flows_) next_end_ = std::min(next_end_, flow.end);
}

void FluidMemory::advance(Cycle now, std::vector<void*>& ended) {
    put_off_ -= std::min(put_off_, spare_ * (now - now_));
    now_ = now;
    if (now < next_end_) return;
    size_t kept = 0;
    for (Flow& flow : flows_) {
        if (flow.end <= now) {
            want(flow, false);
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
        leave_unshared();
    }
}

// Water filling: all rates rise together; a flow stops at its limit, and all flows of a resource
// stop when it is used up.
void FluidMemory::share() {
    shared_ = !enough();
    if (!shared_) {
        for (Flow& flow : flows_) set_rate(flow, flow.limit);
        find_next_end();
        leave_unshared();
        return;
    }
    std::array<uint64_t, kResources> left{};
    for (unsigned r = 0; r < kResources; ++r) left[r] = capacity_[r] * 1000;
    open_.resize(flows_.size());
    for (uint32_t i = 0; i < open_.size(); ++i) open_[i] = i;
    Milli level = 0;
    while (!open_.empty()) {
        std::array<uint64_t, kResources> weight{};
        Milli step = std::numeric_limits<Milli>::max();
        for (uint32_t i : open_) {
            step = std::min(step, flows_[i].limit - level);
            for (unsigned r = 0; r < kResources; ++r) weight[r] += flows_[i].use[r];
        }
        for (unsigned r = 0; r < kResources; ++r)
            if (weight[r] > 0) step = std::min(step, left[r] / weight[r]);
        level += step;
        std::array<bool, kResources> full{};
        for (unsigned r = 0; r < kResources; ++r) {
            left[r] -= step * weight[r];
            full[r] = weight[r] > 0 && left[r] < weight[r];
        }
        const auto stops = [&](uint32_t i) {
            Flow& flow = flows_[i];
            bool stop = flow.limit <= level;
            for (unsigned r = 0; r < kResources; ++r) stop = stop || (full[r] && flow.use[r] > 0);
            if (stop) set_rate(flow, std::max<Milli>(1, level));
            return stop;
        };
        open_.erase(std::remove_if(open_.begin(), open_.end(), stops), open_.end());
    }
    spare_ = left[kHbm] / 1000;
    find_next_end();
}

}  // namespace ptosim
