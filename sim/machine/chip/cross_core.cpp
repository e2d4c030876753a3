#include "sim/machine/chip/cross_core.h"

#include <algorithm>

namespace ptosim {

void CrossCoreNetwork::begin(std::vector<CoreId> cores, unsigned aivs_per_cluster) {
    cores_ = std::move(cores);
    aivs_per_cluster_ = aivs_per_cluster;
    pending_.clear();
}

std::vector<CoreId> CrossCoreNetwork::cluster_cores(unsigned cluster, CoreType type) const {
    std::vector<CoreId> result;
    for (CoreId core : cores_)
        if (core.type == type && cluster_of(core) == cluster) result.push_back(core);
    return result;
}

std::vector<CoreId> CrossCoreNetwork::group(CoreId from, unsigned mode,
                                            unsigned participants) const {
    if (mode == 2) return cluster_cores(cluster_of(from), from.type);
    if (mode == 1) return cluster_cores(cluster_of(from), CoreType::kAIV);
    std::vector<CoreId> result;
    for (CoreId core : cores_)
        if (core.type == from.type && (participants == 0 || result.size() < participants))
            result.push_back(core);
    return result;
}

std::vector<CoreId> CrossCoreNetwork::destinations(CoreId from, unsigned mode,
                                                   unsigned participants) const {
    if (mode != 2) return group(from, mode, participants);
    const CoreType other = from.type == CoreType::kAIC ? CoreType::kAIV : CoreType::kAIC;
    return cluster_cores(cluster_of(from), other);
}

CrossCoreNetwork::Match CrossCoreNetwork::signal(CoreId from, unsigned mode, unsigned id,
                                                 unsigned participants, SourceLocation where) {
    Pending& own = pending_[key(mode, id, from)];
    own = {own.count + 1, participants, where};
    std::vector<CoreId> members = group(from, mode, participants);
    const bool everyone = std::all_of(members.begin(), members.end(), [&](CoreId core) {
        return pending_[key(mode, id, core)].count > 0;
    });
    if (!everyone) return {};
    for (CoreId core : members) --pending_[key(mode, id, core)].count;
    return {std::move(members), destinations(from, mode, participants)};
}

std::vector<CrossCoreNetwork::Unmatched> CrossCoreNetwork::unmatched() const {
    std::vector<Unmatched> result;
    for (const auto& [key_of, sent] : pending_) {
        if (sent.count == 0) continue;
        const auto [mode, id, type, index] = key_of;
        Unmatched one{{static_cast<CoreType>(type), static_cast<uint16_t>(index)},
                      mode,
                      id,
                      sent.location,
                      {}};
        for (CoreId core : group(one.from, mode, sent.participants)) {
            const auto other = pending_.find(key(mode, id, core));
            if (other == pending_.end() || other->second.count == 0) one.missing.push_back(core);
        }
        result.push_back(std::move(one));
    }
    return result;
}

CrossCoreNetwork::Target CrossCoreNetwork::intra_block(CoreId from, unsigned id) const {
    constexpr unsigned kSecondAiv = 16;
    Target target;
    const unsigned cluster = cluster_of(from);
    CoreId to;
    if (from.type == CoreType::kAIC) {
        to = {CoreType::kAIV, static_cast<uint16_t>(cluster * aivs_per_cluster_ + id / kSecondAiv)};
        target.id = id % kSecondAiv;
    } else {
        to = {CoreType::kAIC, static_cast<uint16_t>(cluster)};
        target.id = id + from.index % aivs_per_cluster_ * kSecondAiv;
    }
    if (std::find(cores_.begin(), cores_.end(), to) != cores_.end()) target.core = to;
    return target;
}

}  // namespace ptosim
