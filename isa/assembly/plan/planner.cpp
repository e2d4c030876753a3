#include "isa/assembly/plan/planner.h"

#include <algorithm>

#include "isa/assembly/plan/planner_obstacles.h"
#include "isa/numeric/round_up.h"

namespace ptosim::assembly {

namespace {

uint64_t alignment(Space space) {
    const bool cube = space == Space::kL0A || space == Space::kL0B || space == Space::kL0C;
    return cube ? 512 : kTileAlignment;
}

}  // namespace

void Obstacles::insert(const Obstacle& obstacle) {
    const auto behind =
        std::upper_bound(list_.begin(), list_.end(), obstacle,
                         [](const Obstacle& a, const Obstacle& b) { return a.begin < b.begin; });
    list_.insert(behind, obstacle);
}

uint64_t Obstacles::first_hole(uint64_t bytes, uint32_t first, uint32_t last, uint64_t step) const {
    uint64_t address = 0;
    for (const Obstacle& obstacle : list_) {
        if (first > obstacle.last || obstacle.first > last) continue;
        if (address + bytes <= obstacle.begin) break;
        address = std::max(address, round_up(obstacle.end, step));
    }
    return address;
}

uint64_t Obstacles::bytes() const {
    uint64_t sum = 0;
    for (const Obstacle& obstacle : list_) sum += obstacle.end - obstacle.begin;
    return sum;
}

namespace {

// The planning of one space.
class SpacePlan {
 public:
    SpacePlan(std::span<Allocation> allocations, Space space, uint64_t budget, PlanPolicy policy,
              const PlanFacts& facts)
        : allocations_{allocations},
          space_{space},
          budget_{budget},
          policy_{policy},
          facts_{facts} {
        for (size_t i = 0; i < allocations.size(); ++i) {
            const Allocation& a = allocations[i];
            if (a.space != space) continue;
            if (a.address)
                fixed_.insert({*a.address, *a.address + a.bytes});
            else
                (a.reserved ? reserved_ : a.used ? tiles_ : unused_).push_back(i);
        }
        always_ = fixed_.bytes();
        std::stable_sort(tiles_.begin(), tiles_.end(), [&](size_t a, size_t b) {
            return allocations[a].first < allocations[b].first;
        });
    }

    std::optional<PlanProblem> run() {
        auto failed = place_unused();
        if (failed) return problem(*failed);
        failed = place_tiles();
        if (!failed) failed = place_reserved();
        if (!failed) return std::nullopt;
        if (reserved_.empty()) return problem(*failed);
        // Reserved buffers first, and the tiles around them.
        for (const size_t i : tiles_) allocations_[i].address.reset();
        for (const size_t i : reserved_) allocations_[i].address.reset();
        if (auto early = place_reserved()) return problem(*early);
        for (const size_t i : reserved_) fixed_.insert(whole(i));
        failed = place_tiles();
        return failed ? std::optional(problem(*failed)) : std::nullopt;
    }

 private:
    Obstacle whole(size_t i) const {
        const uint64_t begin = *allocations_[i].address;
        return {begin, begin + allocations_[i].bytes};
    }

    std::optional<size_t> place_unused() {
        for (const size_t i : unused_) {
            if (allocations_[i].bytes > budget_) return i;
            allocations_[i].address = 0;
        }
        return std::nullopt;
    }

    std::optional<size_t> place_tiles() {
        if (policy_ == PlanPolicy::kLargestFirst)
            return assign_in_groups(allocations_, tiles_, fixed_, budget_, facts_);
        uint64_t sum = fixed_.bytes();
        for (const size_t i : tiles_) sum += round_up(allocations_[i].bytes, alignment(space_));
        if (sum < budget_ && !first_fit(false)) return std::nullopt;
        return first_fit(true);
    }

    // Each at the lowest address that is free, for the whole program or during its lifetime.
    std::optional<size_t> first_fit(bool reuse) {
        Obstacles obstacles = fixed_;
        for (const size_t i : tiles_) {
            Allocation& a = allocations_[i];
            const uint32_t first = reuse ? a.first : 0, last = reuse ? a.last : UINT32_MAX;
            const uint64_t found = obstacles.first_hole(a.bytes, first, last, alignment(space_));
            if (found + a.bytes > budget_) return i;
            a.address = static_cast<uint32_t>(found);
            if (a.bytes > 0) obstacles.insert({found, found + a.bytes, first, last});
        }
        return std::nullopt;
    }

    std::optional<size_t> place_reserved() {
        constexpr uint64_t kStep = 256;
        Obstacles obstacles = fixed_;
        for (const size_t i : tiles_)
            if (allocations_[i].address) obstacles.insert(whole(i));
        for (const size_t i : reserved_) {
            Allocation& a = allocations_[i];
            const uint64_t found = obstacles.first_hole(a.bytes, kStep);
            if (found + a.bytes > budget_) return i;
            a.address = static_cast<uint32_t>(found);
            obstacles.insert(whole(i));
        }
        return std::nullopt;
    }

    PlanProblem problem(size_t failed) const {
        std::vector<size_t> all = tiles_;
        all.insert(all.end(), reserved_.begin(), reserved_.end());
        all.insert(all.end(), unused_.begin(), unused_.end());
        PlanProblem problem;
        problem.space = space_;
        problem.available = budget_;
        problem.allocation = failed;
        // Holes can make first-fit fail where the peak would fit.
        problem.needed = std::max(peak_bytes(all, problem.together), budget_ + 1);
        return problem;
    }

    // The largest sum of bytes alive at one step, and the allocations alive then.
    uint64_t peak_bytes(const std::vector<size_t>& all, std::vector<size_t>& together) const {
        std::vector<std::pair<uint64_t, int64_t>> changes;
        for (const size_t i : all) {
            const Allocation& a = allocations_[i];
            const auto bytes = static_cast<int64_t>(round_up(a.bytes, alignment(space_)));
            changes.emplace_back(a.first, bytes);
            changes.emplace_back(uint64_t{a.last} + 1, -bytes);
        }
        std::sort(changes.begin(), changes.end());  // ends before begins of the same step
        int64_t now = 0, peak = 0;
        uint64_t worst = 0;
        for (const auto& [step, change] : changes)
            if ((now += change) > peak) {
                peak = now;
                worst = step;
            }
        for (const size_t i : all)
            if (allocations_[i].first <= worst && worst <= allocations_[i].last)
                together.push_back(i);
        std::stable_sort(together.begin(), together.end(), [&](size_t a, size_t b) {
            return allocations_[a].bytes > allocations_[b].bytes;
        });
        return always_ + static_cast<uint64_t>(peak);
    }

    std::span<Allocation> allocations_;
    const Space space_;
    const uint64_t budget_;
    const PlanPolicy policy_;
    const PlanFacts& facts_;
    Obstacles fixed_;
    uint64_t always_ = 0;  // bytes of allocations that had an address from the start
    std::vector<size_t> tiles_, reserved_, unused_;
};

}  // namespace

void extend_over_loops(std::span<Allocation> allocations, std::span<const LoopRange> loops) {
    // Innermost loops first, because the loop around an inner one may have to extend the same tiles further.
    std::vector<LoopRange> ordered(loops.begin(), loops.end());
    std::sort(ordered.begin(), ordered.end(), [](const LoopRange& a, const LoopRange& b) {
        return a.last - a.first < b.last - b.first;
    });
    for (const LoopRange& loop : ordered)
        for (Allocation& a : allocations) {
            const bool meets = a.first <= loop.last && loop.first <= a.last;
            const bool inside = a.born >= loop.first && a.born <= loop.last;
            if (!meets || inside) continue;
            a.first = std::min(a.first, loop.first);
            a.last = std::max(a.last, loop.last);
        }
}

std::optional<PlanProblem> plan(std::span<Allocation> allocations, const SpaceBudgets& budgets,
                                PlanPolicy policy, const PlanFacts& facts) {
    for (unsigned s = 0; s < kSpaceCount; ++s) {
        SpacePlan one(allocations, static_cast<Space>(s), budgets[s], policy, facts);
        if (auto problem = one.run()) return problem;
    }
    return std::nullopt;
}

}  // namespace ptosim::assembly
