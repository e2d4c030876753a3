#include "sim/memory/shared_bandwidth.h"

#include <algorithm>
#include <limits>

#include "sim/timing/clock.h"

namespace ptosim {

void FluidLink::add(Cycle now, uint64_t bytes, Milli limit, void* owner) {
    now_ = now;
    flows_.push_back({bytes * 1000, std::max<Milli>(1, limit), 0, owner});
    share();
}

void FluidLink::advance(Cycle now, std::vector<void*>& ended) {
    const Cycle passed = now - now_;
    now_ = now;
    size_t kept = 0;
    for (Flow& flow : flows_) {
        const uint64_t done = flow.rate * passed;
        if (done >= flow.remaining) {
            ended.push_back(flow.owner);
        } else {
            flow.remaining -= done;
            flows_[kept++] = flow;
        }
    }
    if (kept != flows_.size()) {
        flows_.resize(kept);
        share();
    }
}

Cycle FluidLink::next_end() const {
    Cycle next = std::numeric_limits<Cycle>::max();
    for (const Flow& flow : flows_)
        next = std::min(next, now_ + (flow.remaining + flow.rate - 1) / flow.rate);
    return next;
}

// Water filling: whoever wants less than an equal share gets what it wants, the rest share again.
void FluidLink::share() {
    uint64_t wanted = 0;
    for (const Flow& flow : flows_) wanted += flow.limit;
    if (wanted <= capacity_) {
        for (Flow& flow : flows_) flow.rate = flow.limit;
        return;
    }
    order_.resize(flows_.size());
    for (uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(),
                     [this](uint32_t a, uint32_t b) { return flows_[a].limit < flows_[b].limit; });
    Milli left = capacity_;
    size_t count = flows_.size();
    for (uint32_t i : order_) {
        flows_[i].rate = std::max<Milli>(1, std::min(flows_[i].limit, left / count));
        left -= std::min(left, flows_[i].rate);
        --count;
    }
}

SharedBandwidth::SharedBandwidth(sc_core::sc_module_name name, Milli capacity)
    : sc_module(name), link_{capacity} {
    SC_HAS_PROCESS(SharedBandwidth);
    SC_METHOD(update);
    sensitive << wake_;
    dont_initialize();
}

void SharedBandwidth::start(uint64_t bytes, Milli limit, sc_core::sc_event& done) {
    // Flows that end now must not take bandwidth from the new one.
    link_.advance(now_cycle(), ended_);
    for (void* owner : ended_) static_cast<sc_core::sc_event*>(owner)->notify(sc_core::SC_ZERO_TIME);
    ended_.clear();
    if (bytes == 0)
        done.notify(sc_core::SC_ZERO_TIME);
    else
        link_.add(now_cycle(), bytes, limit, &done);
    schedule();
}

void SharedBandwidth::update() {
    link_.advance(now_cycle(), ended_);
    for (void* owner : ended_) static_cast<sc_core::sc_event*>(owner)->notify(sc_core::SC_ZERO_TIME);
    ended_.clear();
    schedule();
}

void SharedBandwidth::schedule() {
    const Cycle next = link_.next_end();
    wake_.cancel();
    if (next == std::numeric_limits<Cycle>::max()) return;
    wake_.notify(cycles(next - now_cycle()));
}

}  // namespace ptosim
