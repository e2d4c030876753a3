// Addresses for tiles that a kernel allocates without saying where.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "isa/core/pipe.h"
#include "isa/core/tile.h"

namespace ptosim::assembly {

// One tile's bytes, and its lifetime: from the first
// step that touches them to the last one, both included.
struct Allocation {
    Space space = Space::kUB;
    uint64_t bytes = 0;
    uint32_t first = 0;
    uint32_t last = 0;
    // The step that asks for it. If a loop uses an allocation from outside it, the allocation lives as long as the
    // loop.
    uint32_t born = 0;
    bool used = true;  // what nothing touches occupies no bytes
    // A buffer that is reserved: alive all the time, and placed after the others.
    bool reserved = false;
    // Set by the planner; on input, the address of a tile that has one already (its bytes
    // are kept free all the time).
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
    // One after the other, in the order of their first steps, if all together need less than there is; otherwise each
    // at the lowest address that is free during its whole life. (PTOPlanMemory.cpp: its levels that keep data of
    // different pipes apart have no effect, as the list of data touched by transfers stays empty; addresses equal ptoas
    // v0.27's.)
    kInOrder,
    // In UB and the small memories the largest first; each in the group of earlier ones that costs least by ReuseCost,
    // or in a new group; groups one after the other. Members of a group never live together, but one may begin in the
    // step in which another ends if that instruction can write over its input. (docs/designs/
    // ptoas-largest-first-fit-four-gates-memplan-design.md.) Never falls back to anything.
    kLargestFirst,
};

// Allocations that an instruction, or an access of the scalar unit, touches, by their numbers.
struct TileAccess {
    Pipe pipe = Pipe::kS;
    bool in_loop = false;
    std::vector<size_t> reads, writes;
};

// Facts beyond lives that kLargestFirst uses.
struct PlanFacts {
    std::vector<TileAccess> accesses;  // in the order of the text
    // (ends, begins): the second may take the first one's bytes in the step where that ends.
    std::vector<std::pair<size_t, size_t>> in_place;
    // Pairs that are never alive together, whatever their lifetimes: the two arms of a branch yield them.
    std::vector<std::pair<size_t, size_t>> exclusive;
};

// An allocation that did not fit.
struct PlanProblem {
    Space space = Space::kUB;
    uint64_t needed = 0;  // bytes in use at once, at the step with the most
    uint64_t available = 0;
    size_t allocation = 0;         // the one that did not fit
    std::vector<size_t> together;  // those in use at that step; largest first
};

// Extends lifetimes: an allocation used in a loop lives through all of it, if it was made outside, or if it lives when
// the loop begins.
void extend_over_loops(std::span<Allocation> allocations, std::span<const LoopRange> loops);

// Gives every allocation without an address one, space by space. Addresses are multiples of 32
// bytes, of 512 in L0A, L0B and L0C (PTOPlanMemory.cpp of v0.27), for kLargestFirst of 256 and 4096
// (PTOPlanMemoryModern.cpp of v0.60). Reserved buffers come last, into the first hole, at a
// multiple of 256; where there is none, once more, with them first.
std::optional<PlanProblem> plan(std::span<Allocation> allocations, const SpaceBudgets& budgets,
                                PlanPolicy policy = PlanPolicy::kInOrder,
                                const PlanFacts& facts = {});

}  // namespace ptosim::assembly
