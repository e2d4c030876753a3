#include "sim/memory/fluid_memory.h"

#include <algorithm>
#include <limits>

namespace ptosim {
namespace {

constexpr uint64_t kPlace = 1'000'000'000;  // a cycle, in thousandths of millionths

}  // namespace

void FluidMemory::want(const Flow& flow, bool more) {
    for (unsigned r = 0; r < kResources; ++r) {
        const uint64_t amount = flow.limit * flow.use[r];
        wanted_[r] = more ? wanted_[r] + amount : wanted_[r] - amount;
    }
    if (flow.place.number != Place::kNone) want_place(flow, more);
}

void FluidMemory::want_place(const Flow& flow, bool more) {
    if (flow.place.number >= place_wanted_.size()) place_wanted_.resize(flow.place.number + 1);
    uint64_t& wanted = place_wanted_[flow.place.number];
    const bool before = wanted > kPlace;
    const uint64_t amount = flow.limit * flow.place.held;
    wanted = more ? wanted + amount : wanted - amount;
    const bool after = wanted > kPlace;
    if (after != before) crowded_ = after ? crowded_ + 1 : crowded_ - 1;
}

bool FluidMemory::crowded(const Place& place) const {
    return crowded_ > 0 && place.number != Place::kNone && place_wanted_[place.number] > kPlace;
}

bool FluidMemory::enough() const {
    if (crowded_ > 0) return false;
    for (unsigned r = 0; r < kResources; ++r)
        if (wanted_[r] > capacity_[r] * 1000) return false;
    return true;
}

void FluidMemory::add(Cycle now, uint64_t bytes, Milli limit, const Use& use, void* owner,
                      const Place& place) {
    now_ = now;
    Flow& flow = flows_.emplace_back();
    flow.remaining = bytes * 1000;
    flow.since = now;
    flow.limit = std::max<Milli>(1, limit);
    flow.use = use;
    flow.place = place;
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

// Water filling: all rates rise together; a flow stops at its limit, and all flows of a resource or
// a place stop when it is used up. Only a crowded place can be.
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
    place_left_.assign(place_wanted_.size(), kPlace);
    Milli level = 0;
    while (!open_.empty()) {
        std::array<uint64_t, kResources> weight{};
        place_weight_.assign(place_wanted_.size(), 0);
        Milli step = std::numeric_limits<Milli>::max();
        for (uint32_t i : open_) {
            const Flow& flow = flows_[i];
            step = std::min(step, flow.limit - level);
            for (unsigned r = 0; r < kResources; ++r) weight[r] += flow.use[r];
            if (crowded(flow.place)) place_weight_[flow.place.number] += flow.place.held;
        }
        for (size_t p = 0; p < place_weight_.size(); ++p)
            if (place_weight_[p] > 0) step = std::min(step, place_left_[p] / place_weight_[p]);
        for (unsigned r = 0; r < kResources; ++r)
            if (weight[r] > 0) step = std::min(step, left[r] / weight[r]);
        level += step;
        std::array<bool, kResources> full{};
        for (unsigned r = 0; r < kResources; ++r) {
            left[r] -= step * weight[r];
            full[r] = weight[r] > 0 && left[r] < weight[r];
        }
        for (size_t p = 0; p < place_weight_.size(); ++p) place_left_[p] -= step * place_weight_[p];
        const auto stops = [&](uint32_t i) {
            Flow& flow = flows_[i];
            bool stop = flow.limit <= level;
            for (unsigned r = 0; r < kResources; ++r) stop = stop || (full[r] && flow.use[r] > 0);
            stop = stop || (crowded(flow.place) &&
                            place_left_[flow.place.number] < place_weight_[flow.place.number]);
            if (stop) set_rate(flow, std::max<Milli>(1, level));
            return stop;
        };
        open_.erase(std::remove_if(open_.begin(), open_.end(), stops), open_.end());
    }
    spare_ = left[kHbm] / 1000;
    find_next_end();
}

}  // namespace ptosim
