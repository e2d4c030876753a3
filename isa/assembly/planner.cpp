#include "isa/assembly/planner.h"

#include <algorithm>

namespace ptosim::assembly {

namespace {

uint64_t alignment(Space space) {
    const bool cube = space == Space::kL0A || space == Space::kL0B || space == Space::kL0C;
    return cube ? 512 : kTileAlignment;
}

uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

// An allocation that has its place, as an obstacle to others.
struct Obstacle {
    uint64_t begin, end;
    uint32_t first, last;
};

bool overlaps(uint32_t first, uint32_t last, const Obstacle& other) {
    return first <= other.last && other.first <= last;
}

// Obstacles are kept in order of their begin.
uint64_t first_hole(const std::vector<Obstacle>& obstacles, const Allocation& wanted) {
    const uint64_t step = alignment(wanted.space);
    uint64_t place = 0;
    for (const Obstacle& obstacle : obstacles) {
        if (!overlaps(wanted.first, wanted.last, obstacle)) continue;
        if (place + wanted.bytes <= obstacle.begin) break;
        place = std::max(place, round_up(obstacle.end, step));
    }
    return place;
}

void insert(std::vector<Obstacle>& obstacles, Obstacle obstacle) {
    const auto behind =
        std::upper_bound(obstacles.begin(), obstacles.end(), obstacle,
                         [](const Obstacle& a, const Obstacle& b) { return a.begin < b.begin; });
    obstacles.insert(behind, obstacle);
}

std::vector<Obstacle> fixed_places(std::span<const Allocation> allocations, Space space) {
    std::vector<Obstacle> obstacles;
    for (const Allocation& a : allocations)
        if (a.space == space && a.address)
            insert(obstacles, {*a.address, *a.address + a.bytes, 0, UINT32_MAX});
    return obstacles;
}

std::vector<size_t> unplaced(std::span<const Allocation> allocations, Space space) {
    std::vector<size_t> order;
    for (size_t i = 0; i < allocations.size(); ++i)
        if (allocations[i].space == space && !allocations[i].address) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return allocations[a].first < allocations[b].first;
    });
    return order;
}

// Places all as if everything lived all the time (`reuse` false) or by lifetimes. Returns the
// first allocation that does not fit, if any; nothing is changed then.
std::optional<size_t> place(std::span<Allocation> allocations, std::span<const size_t> order,
                            std::vector<Obstacle> obstacles, uint64_t budget, bool reuse) {
    std::vector<uint64_t> places;
    places.reserve(order.size());
    for (const size_t i : order) {
        Allocation wanted = allocations[i];
        if (!reuse) {
            wanted.first = 0;
            wanted.last = UINT32_MAX;
        }
        const uint64_t found = first_hole(obstacles, wanted);
        if (found + wanted.bytes > budget) return i;
        insert(obstacles, {found, found + wanted.bytes, wanted.first, wanted.last});
        places.push_back(found);
    }
    for (size_t i = 0; i < order.size(); ++i)
        allocations[order[i]].address = static_cast<uint32_t>(places[i]);
    return std::nullopt;
}

// Places shared by allocations that never live together; see PlanPolicy::kLargestFirst.
std::optional<size_t> place_largest_first(std::span<Allocation> allocations,
                                          std::vector<size_t> order,
                                          std::vector<Obstacle> obstacles, uint64_t budget) {
    struct Shared {
        uint64_t address = 0;
        std::vector<size_t> members;
    };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return allocations[a].bytes > allocations[b].bytes;
    });
    std::vector<Shared> places;
    for (const size_t i : order) {
        const auto meets = [&](size_t other) {
            return allocations[i].first <= allocations[other].last &&
                   allocations[other].first <= allocations[i].last;
        };
        const auto shared = std::find_if(places.begin(), places.end(), [&](const Shared& place) {
            return std::none_of(place.members.begin(), place.members.end(), meets);
        });
        if (shared != places.end()) {
            shared->members.push_back(i);
            continue;
        }
        Allocation wanted = allocations[i];
        wanted.first = 0;
        wanted.last = UINT32_MAX;
        const uint64_t found = first_hole(obstacles, wanted);
        if (found + wanted.bytes > budget) return i;
        insert(obstacles, {found, found + wanted.bytes, wanted.first, wanted.last});
        places.push_back({found, {i}});
    }
    for (const Shared& place : places)
        for (const size_t i : place.members)
            allocations[i].address = static_cast<uint32_t>(place.address);
    return std::nullopt;
}

// The largest sum of bytes that live at one step, and what lives there.
uint64_t peak_bytes(std::span<const Allocation> allocations, std::span<const size_t> order,
                    const std::vector<Obstacle>& fixed, Space space,
                    std::vector<size_t>& together) {
    uint64_t always = 0;
    for (const Obstacle& obstacle : fixed) always += obstacle.end - obstacle.begin;
    std::vector<std::pair<uint64_t, int64_t>> changes;
    for (const size_t i : order) {
        const int64_t bytes =
            static_cast<int64_t>(round_up(allocations[i].bytes, alignment(space)));
        changes.emplace_back(allocations[i].first, bytes);
        changes.emplace_back(uint64_t{allocations[i].last} + 1, -bytes);
    }
    std::sort(changes.begin(), changes.end());  // ends before begins of the same step
    int64_t now = 0, peak = 0;
    uint64_t worst = 0;
    for (const auto& [step, change] : changes)
        if ((now += change) > peak) {
            peak = now;
            worst = step;
        }
    for (const size_t i : order)
        if (allocations[i].first <= worst && worst <= allocations[i].last) together.push_back(i);
    std::stable_sort(together.begin(), together.end(), [&](size_t a, size_t b) {
        return allocations[a].bytes > allocations[b].bytes;
    });
    return always + static_cast<uint64_t>(peak);
}

}  // namespace

void extend_over_loops(std::span<Allocation> allocations, std::span<const LoopRange> loops) {
    // Inner loops end before outer ones begin to matter only after the inner extension, so that
    // the innermost are taken first.
    std::vector<LoopRange> ordered(loops.begin(), loops.end());
    std::sort(ordered.begin(), ordered.end(), [](const LoopRange& a, const LoopRange& b) {
        return a.last - a.first < b.last - b.first;
    });
    for (const LoopRange& loop : ordered)
        for (Allocation& a : allocations)
            if (a.first < loop.first && a.last >= loop.first && a.last < loop.last)
                a.last = loop.last;
}

std::optional<PlanProblem> plan(std::span<Allocation> allocations, const SpaceBudgets& budgets,
                                PlanPolicy policy) {
    for (unsigned s = 0; s < kSpaceCount; ++s) {
        const auto space = static_cast<Space>(s);
        const std::vector<size_t> order = unplaced(allocations, space);
        if (order.empty()) continue;
        const std::vector<Obstacle> fixed = fixed_places(allocations, space);
        std::optional<size_t> failed;
        if (policy == PlanPolicy::kLargestFirst)
            failed = place_largest_first(allocations, order, fixed, budgets[s]);
        else if (place(allocations, order, fixed, budgets[s], false))
            failed = place(allocations, order, fixed, budgets[s], true);
        if (!failed) continue;
        PlanProblem problem;
        problem.space = space;
        problem.available = budgets[s];
        problem.allocation = *failed;
        // Holes can make first-fit fail where the peak would fit.
        problem.needed = std::max(peak_bytes(allocations, order, fixed, space, problem.together),
                                  budgets[s] + 1);
        return problem;
    }
    return std::nullopt;
}

}  // namespace ptosim::assembly
