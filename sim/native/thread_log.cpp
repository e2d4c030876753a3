#include "sim/native/thread_log.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <utility>

namespace ptosim {

ThreadLog::ThreadLog() : events_{new ptosim_thread_event[(kEvents + 1) * kWarpLanes]()} {
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) begins_[lane] = &events_[lane * (kEvents + 1) + 1];
    ends_ = begins_;
    sites_.emplace_back();
}

bool ThreadLog::are_together() const {
    const auto same_code = [](const ptosim_thread_event& a, const ptosim_thread_event& b) { return a.code == b.code; };
    const auto first = static_cast<unsigned>(std::countr_zero(left_));
    bool together = true;
    for_lanes(left_ & (left_ - 1), [&](unsigned lane) {
        together = together && std::equal(begins_[first], ends_[first], begins_[lane], ends_[lane], same_code);
    });
    return together;
}

uint32_t ThreadLog::site_of(const void* code) {
    const auto [at, is_new] = numbers_.try_emplace(code, static_cast<uint32_t>(sites_.size()));
    if (is_new) {
        sites_.push_back({.code = code});
        changed_ = true;
    }
    return at->second;
}

// Adds a lane's events to the graph.
void ThreadLog::note_sites(unsigned lane) {
    std::vector<uint32_t>& places = place_[lane];
    places.clear();
    uint32_t before = kExit;
    for (const ptosim_thread_event* event = begins_[lane]; event != ends_[lane]; ++event) {
        const uint32_t site = site_of(event->code);
        places.push_back(site);
        if (before != kExit) {
            std::vector<uint32_t>& next = sites_[before].next;
            if (std::ranges::find(next, site) == next.end()) {
                next.push_back(site);
                changed_ = true;
            }
        }
        before = site;
    }
}

// The nearest node that all threads pass after both.
uint32_t ThreadLog::meeting(uint32_t a, uint32_t b) const {
    while (a != b) {
        if (order_[a] > order_[b])
            a = after_[a];
        else
            b = after_[b];
    }
    return a;
}

bool ThreadLog::is_in_loop(uint32_t node) const {
    std::vector<bool> seen(next_.size());
    std::vector<uint32_t> open{node};
    while (!open.empty()) {
        const uint32_t here = open.back();
        open.pop_back();
        for (const uint32_t next : next_[here]) {
            if (next == node) return true;
            if (seen[next]) continue;
            seen[next] = true;
            open.push_back(next);
        }
    }
    return false;
}

uint32_t ThreadLog::meeting(const std::vector<uint32_t>& nodes) const {
    uint32_t until = nodes.front();
    for (const uint32_t node : nodes) until = meeting(until, node);
    return until;
}

// Ways can meet between two events, as at the end of a loop's body, where the graph has no place. Two places that are
// followed by the same two others or more have such a node between: a junction.
void ThreadLog::find_junctions() {
    junctions_.clear();
    next_.assign(sites_.size(), {});
    std::vector<uint32_t> branches;
    for (uint32_t site = 1; site < sites_.size(); ++site) {
        next_[site] = sites_[site].next;
        std::ranges::sort(next_[site]);
        sites_[site].junction = kExit;
        if (next_[site].size() > 1) branches.push_back(site);
    }
    std::vector<std::vector<uint32_t>> shared;
    for (size_t i = 0; i < branches.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
            std::vector<uint32_t> common;
            std::ranges::set_intersection(next_[branches[i]], next_[branches[j]], std::back_inserter(common));
            if (common.size() > 1 && std::ranges::find(shared, common) == shared.end()) shared.push_back(common);
        }
    std::ranges::stable_sort(shared, std::greater<>(), &std::vector<uint32_t>::size);
    for (std::vector<uint32_t>& common : shared) {
        const auto junction = static_cast<uint32_t>(next_.size());
        bool any = false;
        for (const uint32_t site : branches) {
            std::vector<uint32_t>& next = next_[site];
            if (sites_[site].junction != kExit || !std::ranges::includes(next, common)) continue;
            std::erase_if(next, [&](uint32_t to) { return std::ranges::binary_search(common, to); });
            next.push_back(junction);
            sites_[site].junction = junction;
            any = true;
        }
        if (!any) continue;
        next_.push_back(common);
        junctions_.push_back(std::move(common));
    }
}

// Post-dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
void ThreadLog::find_meetings() {
    if (!std::exchange(changed_, false)) return;
    find_junctions();
    const auto nodes = static_cast<uint32_t>(next_.size());
    order_.assign(nodes, 0);
    after_.assign(nodes, kExit);
    std::vector<std::vector<uint32_t>> before(nodes);
    for (uint32_t site = 1; site < nodes; ++site) {
        for (const uint32_t next : next_[site]) before[next].push_back(site);
        if (next_[site].empty()) before[kExit].push_back(site);
    }
    // Reverse postorder from the end. Of loops that no thread has left so far, the place that was
    // passed first counts as the end.
    std::vector<uint32_t> order;
    std::vector<bool> seen(nodes);
    std::vector<std::pair<uint32_t, size_t>> stack;
    const auto walk = [&](uint32_t root) {
        if (seen[root]) return;
        seen[root] = true;
        stack.emplace_back(root, 0);
        while (!stack.empty()) {
            auto& [site, next] = stack.back();
            if (next == before[site].size()) {
                order.push_back(site);
                stack.pop_back();
                continue;
            }
            const uint32_t other = before[site][next++];
            if (seen[other]) continue;
            seen[other] = true;
            stack.emplace_back(other, 0);
        }
    };
    for (uint32_t site = nodes; --site > 0;)
        if (next_[site].empty()) walk(site);
    std::vector<uint32_t> ends;
    for (uint32_t site = 1; site < nodes; ++site)
        if (!seen[site] && is_in_loop(site)) {
            ends.push_back(site);
            walk(site);
        }
    order.push_back(kExit);
    std::ranges::reverse(order);
    for (uint32_t i = 0; i < order.size(); ++i) order_[order[i]] = i;
    constexpr uint32_t kUnknown = UINT32_MAX;
    for (const uint32_t site : order) after_[site] = site == kExit ? kExit : kUnknown;
    for (bool again = true; again;) {
        again = false;
        for (const uint32_t site : order) {
            if (site == kExit) continue;
            uint32_t after = kUnknown;
            if (next_[site].empty() || std::ranges::find(ends, site) != ends.end()) after = kExit;
            for (const uint32_t next : next_[site])
                if (after_[next] != kUnknown) after = after == kUnknown ? next : meeting(next, after);
            again = again || after != after_[site];
            after_[site] = after;
        }
    }
}

uint32_t ThreadLog::junction(unsigned lane) const {
    const auto index = static_cast<size_t>(at_[lane] - begins_[lane]);
    if (index == 0) return kExit;
    const uint32_t junction = sites_[place_[lane][index - 1]].junction;
    if (junction == kExit) return kExit;
    const std::vector<uint32_t>& places = junctions_[junction - sites_.size()];
    return std::ranges::binary_search(places, place_[lane][index]) ? junction : kExit;
}

void ThreadLog::begin_merge(uint16_t warp, bool as_executed) {
    warp_ = warp;
    as_executed_ = as_executed;
    step_ = 0;
    left_ = 0;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        at_[lane] = begins_[lane];
        if (at_[lane] != ends_[lane]) left_ |= 1u << lane;
    }
    if (left_ == 0 || as_executed_) return;
    together_ = are_together();
    if (together_) return;
    for_lanes(left_, [&](unsigned lane) { note_sites(lane); });
    find_meetings();
    paths_.assign(1, {left_, kExit});
}

// Events after the last step of a lane, as the end of the thread, come in the order of the code.
bool ThreadLog::merge_next_step(WarpInstruction& done) {
    uint32_t lanes = 0;
    while (lanes == 0 && step_ < steps_.size()) lanes = steps_[step_++] & left_;
    const void* code = nullptr;
    for_lanes(lanes != 0 ? lanes : left_, [&](unsigned lane) {
        if (code == nullptr || at_[lane]->code < code) code = at_[lane]->code;
    });
    uint32_t same = 0;
    for_lanes(lanes != 0 ? lanes : left_, [&](unsigned lane) {
        if (at_[lane]->code == code) same |= 1u << lane;
    });
    if (same != 0) execute(same, done);
    return same != 0;
}

bool ThreadLog::merge_next(WarpInstruction& done) {
    if (as_executed_) return merge_next_step(done);
    if (together_ && left_ != 0) {
        execute(left_, done);
        return true;
    }
    while (left_ != 0) {
        Path& path = paths_.back();
        path.lanes &= left_;
        for_lanes(path.lanes, [&](unsigned lane) {
            if (path.until != kExit && (here(lane) == path.until || junction(lane) == path.until))
                path.lanes &= ~(1u << lane);
        });
        if (path.lanes == 0) {
            paths_.pop_back();
            continue;
        }
        const uint32_t site = here(static_cast<unsigned>(std::countr_zero(path.lanes)));
        bool same = true;
        for_lanes(path.lanes, [&](unsigned lane) { same = same && here(lane) == site; });
        if (same) {
            execute(path.lanes, done);
            return true;
        }
        split(path.lanes);
    }
    return false;
}

// Lanes at different places: those at the first place in the code go on first, up to where all meet.
void ThreadLog::split(uint32_t lanes) {
    std::vector<uint32_t> nodes, sites;
    const auto add = [](std::vector<uint32_t>& list, uint32_t node) {
        if (std::ranges::find(list, node) == list.end()) list.push_back(node);
    };
    for_lanes(lanes, [&](unsigned lane) {
        add(sites, here(lane));
        add(nodes, junction(lane) != kExit ? junction(lane) : here(lane));
    });
    const uint32_t until = meeting(nodes.size() > 1 ? nodes : sites);
    for_lanes(lanes, [&](unsigned lane) {
        if (junction(lane) == until && until != kExit) lanes &= ~(1u << lane);
    });
    while (lanes != 0) {
        uint32_t last = here(static_cast<unsigned>(std::countr_zero(lanes)));
        for_lanes(lanes, [&](unsigned lane) {
            if (sites_[here(lane)].code > sites_[last].code) last = here(lane);
        });
        uint32_t group = 0;
        for_lanes(lanes, [&](unsigned lane) {
            if (here(lane) == last) group |= 1u << lane;
        });
        if (last != until) paths_.push_back({group, until});
        lanes &= ~group;
    }
}

void ThreadLog::execute(uint32_t lanes, WarpInstruction& done) {
    done = {};
    done.warp = warp_;
    done.active = lanes;
    for_lanes(lanes, [&](unsigned lane) {
        const ptosim_thread_event& event = *at_[lane];
        done.code = event.code;
        done.instructions = std::max(done.instructions, event.instructions);
        done.addresses[lane] = event.address;
        done.kind = static_cast<WarpInstruction::Kind>(event.kind);
        done.bytes = event.bytes;
        done.past_cache = event.past_cache != 0;
        done.used = done.used || (event.used & PTOSIM_RESULT_USED) != 0;
        done.of_block = (event.used & PTOSIM_FENCE_OF_BLOCK) != 0;
        done.changes = done.changes || (event.used & PTOSIM_UNCHANGED) == 0;
        if (++at_[lane] == ends_[lane]) left_ &= ~(1u << lane);
    });
}

}  // namespace ptosim
