#include "sim/check/wasted.h"

#include <algorithm>

namespace ptosim::check {

void Wasted::launch(const LaunchEvent& event) {
    barriers_.clear();
    barriers_.resize(event.cores.size());
}

void Wasted::flag_wait(const FlagEvent& event, bool useful) {
    Site& wait = site(event.location);
    wait.useful = wait.useful || useful;
    ++wait.count;
}

void Wasted::barrier(uint16_t core, Tick tick, SourceLocation location) {
    constexpr size_t kMost = 4096;
    auto& barriers = barriers_[core];
    barriers.emplace_back(tick, location);
    if (barriers.size() > kMost) barriers.pop_front();
    Site& here = site(location);
    here.barrier = true;
    ++here.count;
}

// A barrier is needed if it is the only one between two dependent instructions.
void Wasted::dependence(const Stamp& earlier, const Stamp& later) {
    const auto& barriers = barriers_[later.core];
    const auto first =
        std::upper_bound(barriers.begin(), barriers.end(), earlier.tick,
                         [](Tick tick, const auto& barrier) { return tick < barrier.first; });
    if (first == barriers.end() || std::next(first) != barriers.end()) return;
    site(first->second).useful = true;
}

void Wasted::block(const BlockEvent& event) {
    since_[{static_cast<uint32_t>(event.core.type), event.core.index,
            static_cast<uint32_t>(event.pipe)}] = event.time;
}

void Wasted::unblock(const BlockEvent& event) {
    if (event.instruction == nullptr) return;
    if (event.reason != BlockReason::kFlag && event.reason != BlockReason::kBarrier) return;
    site(event.instruction->location).cycles +=
        event.time - since_[{static_cast<uint32_t>(event.core.type), event.core.index,
                             static_cast<uint32_t>(event.pipe)}];
}

std::vector<Wasted::Entry> Wasted::list() const {
    std::vector<Entry> entries;
    for (const auto& [key, site] : sites_) {
        if (site.useful || site.count == 0) continue;
        SourceLocation location;
        location.file = static_cast<uint16_t>(key[0]);
        location.line = key[1];
        location.column = static_cast<uint16_t>(key[2]);
        entries.push_back({location, site.barrier, site.count, site.cycles});
    }
    return entries;
}

}  // namespace ptosim::check
