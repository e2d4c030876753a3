// Addresses that the planner gives, and layouts that are inferred.
#include "isa/assembly/plan/planner.h"

#include <catch2/catch.hpp>

#include "isa/assembly/context/layout_inference.h"

using namespace ptosim;
using namespace ptosim::assembly;

namespace {

Allocation life(uint64_t bytes, uint32_t first, uint32_t last, Space space = Space::kUB) {
    Allocation allocation;
    allocation.space = space;
    allocation.bytes = bytes;
    allocation.first = first;
    allocation.last = last;
    return allocation;
}

SpaceBudgets budget(uint64_t ub, uint64_t l0c = 0) {
    SpaceBudgets budgets{};
    budgets[static_cast<size_t>(Space::kUB)] = ub;
    budgets[static_cast<size_t>(Space::kL0C)] = l0c;
    return budgets;
}

GlobalView view(std::array<int32_t, 5> shape, std::array<int64_t, 5> stride,
                DType dtype = DType::kF16) {
    GlobalView result;
    result.shape = shape;
    result.stride = stride;
    result.dtype = dtype;
    return result;
}

}  // namespace

TEST_CASE("tiles that fit stand one behind the other, aligned", "[assembly][planner]") {
    std::vector<Allocation> tiles = {life(100, 0, 1), life(32, 2, 3), life(64, 4, 5),
                                     life(600, 0, 9, Space::kL0C), life(600, 0, 9, Space::kL0C)};
    REQUIRE_FALSE(plan(tiles, budget(1024, 2048)));
    CHECK(tiles[0].address == 0);
    CHECK(tiles[1].address == 128);
    CHECK(tiles[2].address == 160);
    CHECK(tiles[3].address == 0);
    CHECK(tiles[4].address == 1024);  // 512-byte steps in L0C
}

TEST_CASE("tiles that do not fit together share memory when they do not meet",
          "[assembly][planner]") {
    std::vector<Allocation> tiles = {life(128, 0, 3), life(128, 2, 5), life(128, 4, 7)};
    REQUIRE_FALSE(plan(tiles, budget(256)));
    CHECK(tiles[0].address == 0);
    CHECK(tiles[1].address == 128);
    CHECK(tiles[2].address == 0);  // free again after step 3
}

TEST_CASE("tiles that fill a memory to the last byte share it", "[assembly][planner]") {
    // ptoas v0.27 gives three tiles of 64 KiB, each made from the one before it, these places.
    std::vector<Allocation> tiles = {life(64 << 10, 0, 1), life(64 << 10, 1, 2),
                                     life(64 << 10, 2, 3)};
    REQUIRE_FALSE(plan(tiles, budget(192 << 10)));
    CHECK(tiles[0].address == 0);
    CHECK(tiles[1].address == 65536);
    CHECK(tiles[2].address == 0);
}

TEST_CASE("what is reserved stands behind the tiles, or before them if it must",
          "[assembly][planner]") {
    std::vector<Allocation> tiles = {life(128, 0, 1), life(128, 2, 3), life(200, 0, 9)};
    tiles[2].reserved = true;
    REQUIRE_FALSE(plan(tiles, budget(512)));
    CHECK(tiles[0].address == 0);
    CHECK(tiles[1].address == 128);
    CHECK(tiles[2].address == 256);
    // 256 + 200 bytes are too many; the tiles can share one place after it.
    for (Allocation& tile : tiles) tile.address.reset();
    REQUIRE_FALSE(plan(tiles, budget(448)));
    CHECK(tiles[2].address == 0);
    CHECK(tiles[0].address == 224);
    CHECK(tiles[1].address == 224);
}

TEST_CASE("the largest first: smaller ones join those that they never meet",
          "[assembly][planner]") {
    std::vector<Allocation> tiles = {life(32, 0, 1), life(128, 2, 3), life(64, 0, 3),
                                     life(96, 4, 5)};
    REQUIRE_FALSE(plan(tiles, budget(1024), PlanPolicy::kLargestFirst));
    // Order: 128, 96, 64, 32. The second and the last join the first for nothing; 64 meets it.
    CHECK(tiles[1].address == 0);
    CHECK(tiles[3].address == 0);
    CHECK(tiles[2].address == 256);
    CHECK(tiles[0].address == 0);
    std::vector<Allocation> tight = {life(128, 0, 3), life(64, 2, 5)};
    const auto problem = plan(tight, budget(160), PlanPolicy::kLargestFirst);
    REQUIRE(problem);
    CHECK(problem->needed == 192);
    CHECK(problem->together == std::vector<size_t>{0, 1});
}

TEST_CASE("the largest first holds for UB, not for the memories of the cube",
          "[assembly][planner]") {
    std::vector<Allocation> tiles = {life(512, 0, 1, Space::kL0C), life(8192, 0, 1, Space::kL0C),
                                     life(256, 0, 1), life(512, 0, 1)};
    REQUIRE_FALSE(plan(tiles, budget(4096, 65536), PlanPolicy::kLargestFirst));
    CHECK(tiles[0].address == 0);
    CHECK(tiles[1].address == 4096);  // 4096-byte steps in L0C
    CHECK(tiles[3].address == 0);
    CHECK(tiles[2].address == 512);
}

// a = f(), b = f(a), c = f(b), d = f(c), all on V.
PlanFacts chain() {
    PlanFacts facts;
    facts.accesses = {{Pipe::kV, false, {}, {0}},
                      {Pipe::kV, false, {0}, {1}},
                      {Pipe::kV, false, {1}, {2}},
                      {Pipe::kV, false, {2}, {3}}};
    return facts;
}

TEST_CASE("instructions next to each other get places of their own while there is room",
          "[assembly][planner]") {
    const std::vector<Allocation> lives = {life(256, 0, 1), life(256, 1, 2), life(256, 2, 3),
                                           life(256, 3, 3)};
    // c could have the place of a: 10 for the neighbours, and 6 + 7 + 4 as both are used twice on
    // V (2 accesses, one of them writes, 2 x 2 for V); a new place costs 1.
    std::vector<Allocation> tiles = lives;
    REQUIRE_FALSE(plan(tiles, budget(2048), PlanPolicy::kLargestFirst, chain()));
    for (uint32_t i = 0; i < 3; ++i) CHECK(tiles[i].address == 256 * i);
    CHECK(tiles[3].address == 0);  // used once, and not next to a
    // Two places: c has to share.
    tiles = lives;
    REQUIRE_FALSE(plan(tiles, budget(512), PlanPolicy::kLargestFirst, chain()));
    CHECK(tiles[0].address == 0);
    CHECK(tiles[1].address == 256);
    CHECK(tiles[2].address == 0);
    CHECK(tiles[3].address == 256);
    // If uses are unknown, a new address costs more than an old one.
    PlanFacts quiet;
    tiles = lives;
    REQUIRE_FALSE(plan(tiles, budget(2048), PlanPolicy::kLargestFirst, quiet));
    CHECK(tiles[2].address == 0);
}

TEST_CASE("a store followed by a load keeps their tiles apart while there is room",
          "[assembly][planner]") {
    PlanFacts facts;
    facts.accesses = {{Pipe::kMTE3, false, {0}, {}}, {Pipe::kMTE2, false, {}, {1}}};
    const std::vector<Allocation> lives = {life(256, 0, 0), life(256, 1, 1)};
    std::vector<Allocation> tiles = lives;
    REQUIRE_FALSE(plan(tiles, budget(1024), PlanPolicy::kLargestFirst, facts));
    CHECK(tiles[1].address == 256);
    // With less left than the tile takes, it shares.
    tiles = lives;
    REQUIRE_FALSE(plan(tiles, budget(640), PlanPolicy::kLargestFirst, facts));
    CHECK(tiles[1].address == 0);
}

TEST_CASE("a result takes the place of what is read for the last time, where it may",
          "[assembly][planner]") {
    PlanFacts facts;
    facts.in_place = {{0, 1}};
    std::vector<Allocation> tiles = {life(256, 0, 1), life(256, 1, 2)};
    REQUIRE_FALSE(plan(tiles, budget(256), PlanPolicy::kLargestFirst, facts));
    CHECK(tiles[1].address == 0);
    std::vector<Allocation> others = {life(256, 0, 1), life(256, 1, 2)};
    CHECK(plan(others, budget(256), PlanPolicy::kLargestFirst));
}

TEST_CASE("what does not fit is told with the bytes it needs", "[assembly][planner]") {
    std::vector<Allocation> tiles = {life(128, 0, 3), life(128, 2, 5), life(128, 3, 7)};
    const auto problem = plan(tiles, budget(300));
    REQUIRE(problem);
    CHECK(problem->space == Space::kUB);
    CHECK(problem->needed == 384);  // all three live at step 3
    CHECK(problem->available == 300);
    CHECK(problem->allocation == 2);
}

TEST_CASE("planned tiles keep away from those with an address", "[assembly][planner]") {
    std::vector<Allocation> tiles = {life(64, 0, 1), life(64, 5, 6), life(64, 5, 6)};
    tiles[0].address = 64;
    REQUIRE_FALSE(plan(tiles, budget(1024)));
    CHECK(tiles[1].address == 0);
    CHECK(tiles[2].address == 128);
}

TEST_CASE("a tile used in a loop lives to the loop's end", "[assembly][planner]") {
    // Loops [4, 9] and, inside of it, [6, 7].
    const std::vector<LoopRange> loops = {{6, 7}, {4, 9}};
    std::vector<Allocation> tiles = {life(1, 0, 6), life(1, 5, 6), life(1, 5, 5), life(1, 0, 3),
                                     life(1, 7, 7)};
    tiles[1].born = tiles[2].born = 4;
    extend_over_loops(tiles, loops);
    CHECK(tiles[0].last == 9);  // made before both
    CHECK(tiles[1].last == 7);  // made in the outer one
    CHECK(tiles[2].last == 5);
    CHECK(tiles[3].last == 3);
    CHECK(tiles[4].first == 4);  // made before both, used in the inner one
    CHECK(tiles[4].last == 9);
}

TEST_CASE("layouts follow from constant shapes and strides", "[assembly][layout]") {
    const auto nd = infer_layout(view({1, 1, 1, 32, 64}, {1, 1, 1, 64, 1}));
    CHECK(nd.layout == GlobalLayout::kND);
    CHECK_FALSE(nd.ambiguous);
    CHECK(infer_layout(view({1, 1, 1, 32, 64}, {1, 1, 1, 1, 32})).layout == GlobalLayout::kDN);
    // Rows apart from each other: neither form is dense.
    CHECK(infer_layout(view({1, 1, 1, 32, 64}, {1, 1, 1, 100, 1})).layout == GlobalLayout::kND);
    const auto column = infer_layout(view({1, 1, 1, 32, 1}, {1, 1, 1, 1, 1}));
    CHECK(column.layout == GlobalLayout::kDN);
    CHECK(column.ambiguous);
    const auto row = infer_layout(view({1, 1, 1, 1, 64}, {1, 1, 1, 64, 1}));
    CHECK(row.layout == GlobalLayout::kND);
    CHECK_FALSE(row.ambiguous);
    // 16 x 16 halves are a box of 512 bytes.
    CHECK(infer_layout(view({1, 4, 16, 16, 16}, {16384, 4096, 256, 16, 1})).layout ==
          GlobalLayout::kNZ);
    CHECK(infer_layout(view({1, 4, 16, 8, 8}, {16384, 4096, 64, 8, 1}, DType::kF32)).layout ==
          GlobalLayout::kNZ);
    CHECK(infer_layout(view({1, 4, 16, 16, 16}, {16384, 4096, 256, 16, 1}, DType::kF32)).layout ==
          GlobalLayout::kND);
}

TEST_CASE("column blocks of 32 bytes are NZ if the tile is", "[assembly][layout]") {
    const auto blocks = infer_layout(view({16, 1, 128, 1, 8}, {1024, 1024, 8, 8, 1}, DType::kF32));
    CHECK(blocks.layout == GlobalLayout::kND);
    CHECK(blocks.ambiguous);
    // Blocks of 16 bytes are rows.
    CHECK_FALSE(infer_layout(view({16, 1, 128, 1, 8}, {1024, 1024, 8, 8, 1})).ambiguous);
}
