#include "sim/check/checkers/redundant_sync.h"

#include <algorithm>
#include <set>

#include "sim/check/checkers/race.h"

namespace ptosim::check {

RedundantSync::RedundantSync(Shared& shared, Findings& findings) : Checker{shared, findings} {
    shared.dependences = this;
}

void RedundantSync::on_launch(const LaunchEvent& event) {
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

void RedundantSync::on_flag_wait(const FlagEvent& event) {
    if (event.carried || event.cross_core) return;
    const auto& flags = timelines_.core(timelines_.index(event.core)).flags;
    const SourceLocation set = flags.at({event.source, event.destination, event.id}).set;
    Site& wait = site(event.location);
    wait.useful = wait.useful || shared_.wait_orders;
    ++wait.count;
    site(set).set = true;
    const SiteKey flag = flag_of(key_of(event.location));
    sites_.at(flag_of(key_of(set))).flag = flag;
}

void RedundantSync::on_start(const InstructionEvent& event) {
    if (event.pipe != Pipe::kV || event.instruction->opcode != Opcode::kPIPE_BARRIER) return;
    constexpr size_t kMost = 4096;
    const Stamp now = timelines_.now(event.core, event.pipe);
    auto& barriers = barriers_[now.core];
    barriers.emplace_back(now.tick, event.instruction->location);
    if (barriers.size() > kMost) barriers.pop_front();
    Site& here = site(event.instruction->location);
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

void RedundantSync::on_block(const BlockEvent& event) {
    since_[{static_cast<uint32_t>(event.core.type), event.core.index,
            static_cast<uint32_t>(event.pipe)}] = event.time;
}

void RedundantSync::on_unblock(const BlockEvent& event) {
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

std::vector<std::string> RedundantSync::wasteful() const {
    const auto lines_of = [this](const std::vector<SourceLocation>& locations, size_t first) {
        std::string text;
        for (size_t i = first; i < locations.size(); ++i)
            text += (text.empty() ? "" : ", ") + location_text(*shared_.sources, locations[i]);
        return text;
    };
    std::vector<std::string> lines;
    for (const Entry& entry : list()) {
        std::string line = location_text(*shared_.sources, entry.locations.front()) + ": ";
        if (entry.barrier) {
            line += "barrier: other barriers order all that it orders";
        } else {
            line += "wait_flag: all that it orders is ordered already; it can be removed with ";
            line += lines_of(entry.sets, 0) +
                    (entry.locations.size() > 1 ? ", " + lines_of(entry.locations, 1) : "");
        }
        line += " (passed " + std::to_string(entry.count) + " times, held up " +
                std::to_string(entry.cycles) + " cycles)";
        lines.push_back(std::move(line));
    }
    return lines;
}

PTOSIM_CHECKER(redundant_sync) = row_of<RedundantSync>(
    {.name = "redundant_sync",
     .chosen = Chosen::kByWasted,
     .about = "flags and vector barriers that add no order",
     .order = 5,
     .needs = &race_row});

}  // namespace ptosim::check
