#include "sim/check/wasted.h"

#include <algorithm>
#include <set>

namespace ptosim::check {

void Wasted::launch(const LaunchEvent& event) {
    barriers_.clear();
    barriers_.resize(event.cores.size());
}

Wasted::Site& Wasted::site(SourceLocation location) {
    const auto [entry, fresh] = sites_.try_emplace(place(location));
    if (fresh) entry->second.flag = entry->first;
    return entry->second;
}

Wasted::Place Wasted::flag_of(Place end) const {
    for (Place next = sites_.at(end).flag; next != end; next = sites_.at(end).flag) end = next;
    return end;
}

void Wasted::flag_wait(const FlagEvent& event, SourceLocation set, bool useful) {
    Site& wait = site(event.location);
    wait.useful = wait.useful || useful;
    ++wait.count;
    site(set).set = true;
    const Place flag = flag_of(place(event.location));
    sites_.at(flag_of(place(set))).flag = flag;
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
    std::map<Place, Entry> flags;
    std::set<Place> useful;
    for (const auto& [key, site] : sites_) {
        const Place flag = flag_of(key);
        if (site.useful) useful.insert(flag);
        Entry& entry = flags[flag];
        SourceLocation location;
        location.file = static_cast<uint16_t>(key[0]);
        location.line = key[1];
        location.column = static_cast<uint16_t>(key[2]);
        entry.barrier = site.barrier;
        (site.set ? entry.sets : entry.places).push_back(location);
        entry.count += site.count;
        entry.cycles += site.cycles;
    }
    std::vector<Entry> entries;
    for (auto& [flag, entry] : flags)
        if (!useful.contains(flag) && entry.count > 0) entries.push_back(std::move(entry));
    const auto first = [](const Entry& entry) { return place(entry.places.front()); };
    std::sort(entries.begin(), entries.end(),
              [&first](const Entry& a, const Entry& b) { return first(a) < first(b); });
    return entries;
}

}  // namespace ptosim::check
