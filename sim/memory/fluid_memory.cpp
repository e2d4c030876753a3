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
    flows_.push_back({bytes * 1000, std::max<Milli>(1, limit), 0, use, owner});
    want(flows_.back(), true);
    if (!shared_ && enough())
        flows_.back().rate = flows_.back().limit;
    else
        share();
    find_spare();
}

// What the transfers leave of HBM.
void FluidMemory::find_spare() {
    uint64_t taken = 0;
    for (const Flow& flow : flows_) taken += flow.rate * flow.use[kHbm];
    taken /= 1000;
    spare_ = capacity_[kHbm] > taken ? capacity_[kHbm] - taken : 0;
}

void FluidMemory::advance(Cycle now, std::vector<void*>& ended) {
    const Cycle passed = now - now_;
    now_ = now;
    put_off_ -= std::min(put_off_, spare_ * passed);
    size_t kept = 0;
    for (Flow& flow : flows_) {
        const uint64_t done = flow.rate * passed;
        if (done >= flow.remaining) {
            want(flow, false);
            ended.push_back(flow.owner);
        } else {
            flow.remaining -= done;
            if (&flows_[kept] != &flow) flows_[kept] = flow;
            ++kept;
        }
    }
    if (kept == flows_.size()) return;
    flows_.resize(kept);
    if (shared_) share();
    find_spare();
}

Cycle FluidMemory::next_end() const {
    Cycle next = std::numeric_limits<Cycle>::max();
    for (const Flow& flow : flows_)
        next = std::min(next, now_ + (flow.remaining + flow.rate - 1) / flow.rate);
    return next;
}

// Water filling: all rates rise together; a flow stops at its limit, and all flows of a resource
// stop when it is used up.
void FluidMemory::share() {
    shared_ = !enough();
    if (!shared_) {
        for (Flow& flow : flows_) flow.rate = flow.limit;
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
            if (stop) flow.rate = std::max<Milli>(1, level);
            return stop;
        };
        open_.erase(std::remove_if(open_.begin(), open_.end(), stops), open_.end());
    }
}

}  // namespace ptosim
