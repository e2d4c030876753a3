#include "sim/check/redundant_sync.h"

#include <algorithm>
#include <set>

namespace ptosim::check {

void RedundantSync::launch(const LaunchEvent& event) {
    barriers_.clear();
    barriers_.resize(event.cores.size());
}

RedundantSync::Site& RedundantSync::site(SourceLocation location) {
    const auto [entry, fresh] = sites_.try_emplace(key_of(location));
    if (fresh) entry->second.flag = entry->first;
    return entry->second;
}

RedundantSync::SiteKey RedundantSync::flag_of(SiteKey end) const {
    for (SiteKey next = sites_.at(end).flag; next != end; next = sites_.at(end).flag) end = next;
    return end;
}

void RedundantSync::flag_wait(const FlagEvent& event, SourceLocation set, bool useful) {
    Site& wait = site(event.location);
    wait.useful = wait.useful || useful;
    ++wait.count;
    site(set).set = true;
    const SiteKey flag = flag_of(key_of(event.location));
    sites_.at(flag_of(key_of(set))).flag = flag;
}

void RedundantSync::barrier(uint16_t core, Tick tick, SourceLocation location) {
    constexpr size_t kMost = 4096;
    auto& barriers = barriers_[core];
    barriers.emplace_back(tick, location);
    if (barriers.size() > kMost) barriers.pop_front();
    Site& here = site(location);
    here.barrier = true;
    ++here.count;
}

// A barrier is needed if it is the only one between two dependent instructions.
void RedundantSync::dependence(const Stamp& earlier, const Stamp& later) {
    const auto& barriers = barriers_[later.core];
    const auto first =
        std::upper_bound(barriers.begin(), barriers.end(), earlier.tick,
                         [](Tick tick, const auto& barrier) { return tick < barrier.first; });
    if (first == barriers.end() || std::next(first) != barriers.end()) return;
    site(first->second).useful = true;
}

void RedundantSync::block(const BlockEvent& event) {
    since_[{static_cast<uint32_t>(event.core.type), event.core.index,
            static_cast<uint32_t>(event.pipe)}] = event.time;
}

void RedundantSync::unblock(const BlockEvent& event) {
    if (event.instruction == nullptr) return;
    if (event.reason != BlockReason::kFlag && event.reason != BlockReason::kBarrier) return;
    site(event.instruction->location).cycles +=
        event.time - since_[{static_cast<uint32_t>(event.core.type), event.core.index,
                             static_cast<uint32_t>(event.pipe)}];
}

std::vector<RedundantSync::Entry> RedundantSync::list() const {
    std::map<SiteKey, Entry> flags;
    std::set<SiteKey> useful;
    for (const auto& [key, site] : sites_) {
        const SiteKey flag = flag_of(key);
        if (site.useful) useful.insert(flag);
        Entry& entry = flags[flag];
        SourceLocation location;
        location.file = static_cast<uint16_t>(key[0]);
        location.line = key[1];
        location.column = static_cast<uint16_t>(key[2]);
        entry.barrier = site.barrier;
        (site.set ? entry.sets : entry.locations).push_back(location);
        entry.count += site.count;
        entry.cycles += site.cycles;
    }
    std::vector<Entry> entries;
    for (auto& [flag, entry] : flags)
        if (!useful.contains(flag) && entry.count > 0) entries.push_back(std::move(entry));
    const auto first = [](const Entry& entry) { return key_of(entry.locations.front()); };
    std::sort(entries.begin(), entries.end(),
              [&first](const Entry& a, const Entry& b) { return first(a) < first(b); });
    return entries;
}

}  // namespace ptosim::check
