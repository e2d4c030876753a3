// PlanPolicy::kLargestFirst. Gates and costs come from hw-native-sys/PTOAS
// docs/designs/ptoas-largest-first-fit-four-gates-memplan-design.md.
#include <algorithm>
#include <tuple>

#include "isa/assembly/plan/planner_obstacles.h"
#include "isa/numeric/round_up.h"

namespace ptosim::assembly {

namespace {

bool cube(Space space) {
    return space == Space::kL1 || space == Space::kL0A || space == Space::kL0B ||
           space == Space::kL0C;
}
uint64_t group_alignment(Space space) { return cube(space) && space != Space::kL1 ? 4096 : 256; }

bool holds(const std::vector<size_t>& list, size_t i) {
    return std::find(list.begin(), list.end(), i) != list.end();
}

// Cost of two allocations at one address: the degree to which it keeps pipes from overlapping.
class ReuseCost {
 public:
    ReuseCost(const PlanFacts& facts, size_t allocations)
        : facts_{facts}, uses_(allocations), accesses_(allocations) {
        for (size_t at = 0; at < facts.accesses.size(); ++at) {
            const TileAccess& access = facts.accesses[at];
            for (const size_t i : access.reads) note(i, at, false);
            for (const size_t i : access.writes) note(i, at, true);
        }
    }

    uint64_t of(size_t a, size_t b) const { return neighbours(a, b) + crowd(a, b); }

 private:
    static constexpr uint64_t kVectorPair = 10, kStoreThenLoad = 20, kInLoop = 4;
    static constexpr uint64_t kBusyPair = 6, kBusyInLoop = 12, kSameBank = 4;

    struct Uses {
        uint64_t all = 0, writes = 0, in_loop = 0, vector = 0, transfers = 0;
        uint64_t heat() const { return all + 2 * in_loop + writes + 2 * vector + 2 * transfers; }
        bool busy() const {
            const bool overlaps = vector > 0 || transfers > 0;
            return (in_loop > 0 && (all >= 2 || overlaps)) || (all >= 2 && overlaps);
        }
    };

    void note(size_t i, size_t at, bool writes) {
        const TileAccess& access = facts_.accesses[at];
        Uses& uses = uses_[i];
        ++uses.all;
        uses.writes += writes;
        uses.in_loop += access.in_loop;
        uses.vector += access.pipe == Pipe::kV;
        uses.transfers += access.pipe == Pipe::kMTE2 || access.pipe == Pipe::kMTE3;
        if (accesses_[i].empty() || accesses_[i].back() != at) accesses_[i].push_back(at);
    }

    // Neighbouring instructions that would depend on each other.
    uint64_t neighbours(size_t a, size_t b) const {
        std::vector<size_t> both;
        std::set_union(accesses_[a].begin(), accesses_[a].end(), accesses_[b].begin(),
                       accesses_[b].end(), std::back_inserter(both));
        uint64_t cost = 0;
        for (size_t i = 1; i < both.size(); ++i)
            if (both[i] == both[i - 1] + 1) cost += of_pair(both[i - 1], a, b);
        return cost;
    }
    uint64_t of_pair(size_t at, size_t a, size_t b) const {
        const TileAccess &first = facts_.accesses[at], &second = facts_.accesses[at + 1];
        const uint64_t factor = first.in_loop || second.in_loop ? kInLoop : 1;
        if (first.pipe == Pipe::kV && second.pipe == Pipe::kV)
            return depend(first, second, a, b) || depend(first, second, b, a) ? kVectorPair * factor
                                                                              : 0;
        const auto stored_then_loaded = [&](size_t x, size_t y) {
            return holds(first.reads, x) && holds(second.writes, y);
        };
        if (first.pipe == Pipe::kMTE3 && second.pipe == Pipe::kMTE2 &&
            (stored_then_loaded(a, b) || stored_then_loaded(b, a)))
            return kStoreThenLoad * factor;
        return 0;
    }
    static bool depend(const TileAccess& first, const TileAccess& second, size_t a, size_t b) {
        return (holds(first.writes, a) && (holds(second.reads, b) || holds(second.writes, b))) ||
               (holds(first.reads, a) && holds(second.writes, b));
    }

    uint64_t crowd(size_t a, size_t b) const {
        if (!uses_[a].busy() || !uses_[b].busy()) return 0;
        const uint64_t loops = uses_[a].in_loop > 0 && uses_[b].in_loop > 0 ? kBusyInLoop : 0;
        return kBusyPair + std::min(uses_[a].heat(), uses_[b].heat()) + loops + kSameBank;
    }

    const PlanFacts& facts_;
    std::vector<Uses> uses_;                     // by allocation
    std::vector<std::vector<size_t>> accesses_;  // by allocation, in order
};

// Allocations that share an address.
struct Group {
    std::vector<size_t> members;
    uint64_t bytes = 0;
};

class Grouping {
 public:
    Grouping(std::span<const Allocation> allocations, uint64_t budget, const PlanFacts& facts)
        : allocations_{allocations},
          budget_{budget},
          facts_{facts},
          cost_{facts, allocations.size()} {}

    std::vector<Group> run(const std::vector<size_t>& order) {
        for (const size_t i : order) {
            const size_t chosen = choose(i);
            if (chosen == groups_.size()) groups_.emplace_back();
            Group& group = groups_[chosen];
            group.members.push_back(i);
            group.bytes = std::max(group.bytes, allocations_[i].bytes);
        }
        return std::move(groups_);
    }

 private:
    // In order of preference: it fits, it costs less, it takes fewer bytes, it comes earlier.
    using Rank = std::tuple<bool, uint64_t, uint64_t, size_t>;

    // The number of a group, or that of a new one.
    size_t choose(size_t i) const {
        const size_t fresh = groups_.size();
        std::optional<Rank> best;
        for (size_t g = 0; g < groups_.size(); ++g) {
            if (!may_join(i, groups_[g])) continue;
            uint64_t cost = 0;
            for (const size_t member : groups_[g].members)
                if (!exclusive(i, member)) cost += cost_.of(i, member);
            const Rank rank = ranked(i, g, cost);
            if (!best || rank < *best) best = rank;
        }
        if (!best) return fresh;
        // A memory that is nearly full is shared at any cost.
        const uint64_t left =
            std::max(allocations_[i].bytes, group_alignment(allocations_[i].space));
        const Rank own = ranked(i, fresh, groups_.empty() ? 0 : 1);
        const bool both_fit = !std::get<0>(*best) && !std::get<0>(own);
        if (both_fit && budget_ - std::get<2>(own) < left) return std::get<3>(*best);
        return std::get<3>(std::min(own, *best));
    }
    Rank ranked(size_t i, size_t g, uint64_t cost) const {
        const uint64_t bytes = packed(i, g);
        return {bytes > budget_, cost, bytes, g};
    }

    // All groups one after the other, with `i` in group `g`.
    uint64_t packed(size_t i, size_t g) const {
        const uint64_t step = group_alignment(allocations_[i].space);
        uint64_t end = 0;
        for (size_t other = 0; other < groups_.size(); ++other) {
            uint64_t bytes = groups_[other].bytes;
            if (other == g) bytes = std::max(bytes, allocations_[i].bytes);
            end = round_up(end, step) + bytes;
        }
        return g < groups_.size() ? end : round_up(end, step) + allocations_[i].bytes;
    }

    bool may_join(size_t i, const Group& group) const {
        return std::all_of(group.members.begin(), group.members.end(),
                           [&](size_t member) { return may_share(i, member); });
    }
    bool may_share(size_t i, size_t j) const {
        const Allocation &a = allocations_[i], &b = allocations_[j];
        if (a.last < b.first || b.last < a.first || exclusive(i, j)) return true;
        return (a.last == b.first && follows(i, j)) || (b.last == a.first && follows(j, i));
    }
    bool exclusive(size_t i, size_t j) const {
        return std::find(facts_.exclusive.begin(), facts_.exclusive.end(),
                         std::pair(std::min(i, j), std::max(i, j))) != facts_.exclusive.end();
    }
    bool follows(size_t ends, size_t begins) const {
        return std::find(facts_.in_place.begin(), facts_.in_place.end(), std::pair(ends, begins)) !=
               facts_.in_place.end();
    }

    std::span<const Allocation> allocations_;
    const uint64_t budget_;
    const PlanFacts& facts_;
    const ReuseCost cost_;
    std::vector<Group> groups_;
};

}  // namespace

std::optional<size_t> assign_in_groups(std::span<Allocation> allocations,
                                       std::vector<size_t> members, const Obstacles& fixed,
                                       uint64_t budget, const PlanFacts& facts) {
    if (members.empty()) return std::nullopt;
    const Space space = allocations[members[0]].space;
    if (!cube(space))
        std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
            return allocations[a].bytes > allocations[b].bytes;
        });
    const uint64_t step = group_alignment(space);
    Obstacles obstacles = fixed;
    for (const Group& group : Grouping(allocations, budget, facts).run(members)) {
        const uint64_t found = obstacles.first_hole(group.bytes, step);
        if (found + group.bytes > budget) return group.members.front();
        if (group.bytes > 0) obstacles.insert({found, found + group.bytes});
        for (const size_t i : group.members) allocations[i].address = static_cast<uint32_t>(found);
    }
    return std::nullopt;
}

}  // namespace ptosim::assembly
