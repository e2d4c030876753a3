// Addresses for tiles that a kernel allocates without saying where.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/tile.h"

namespace ptosim::assembly {

// One tile's bytes, and the stretch of the program in which they matter: from the first step that
// mentions them to the last one, both included.
struct Allocation {
    Space space = Space::kUB;
    uint64_t bytes = 0;
    uint32_t first = 0;
    uint32_t last = 0;
    // Set by the planner; on input, the place of a tile that has one already (others keep away
    // from it all the time).
    std::optional<uint32_t> address;
};

// A loop in the program: its steps [first, last].
struct LoopRange {
    uint32_t first = 0;
    uint32_t last = 0;
};

// Available bytes per space.
using SpaceBudgets = std::array<uint64_t, kSpaceCount>;

// The assembler's two planners (hw-native-sys/PTOAS --plan-memory-impl=legacy and modern).
enum class PlanPolicy : uint8_t {
    // One behind the other, if all fit; otherwise each at the first place that is free during its
    // whole life, in order of their first step.
    kInOrder,
    // The largest first, each at the place of an earlier one if it never lives together with
    // anything there, otherwise behind all. Never falls back to anything.
    kLargestFirst,
};

// What did not fit.
struct PlanProblem {
    Space space = Space::kUB;
    uint64_t needed = 0;  // bytes in use at once, at the worst place
    uint64_t available = 0;
    size_t allocation = 0;         // the one that found no place
    std::vector<size_t> together;  // those in use at once, at the worst place; largest first
};

// Extends lifetimes: what lives when a loop begins and is used inside of it lives to its end.
void extend_over_loops(std::span<Allocation> allocations, std::span<const LoopRange> loops);

// Gives every allocation without an address one, space by space. Addresses are multiples of 32
// bytes, of 512 in L0A, L0B and L0C (hw-native-sys/PTOAS lib/PTO/Transforms/PTOPlanMemory.cpp).
std::optional<PlanProblem> plan(std::span<Allocation> allocations, const SpaceBudgets& budgets,
                                PlanPolicy policy = PlanPolicy::kInOrder);

}  // namespace ptosim::assembly
