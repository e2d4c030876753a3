#include "sim/machine/sample/period_finder.h"

#include <catch2/catch.hpp>

#include <vector>

namespace ptosim {
namespace {

// Adds one instruction of a line; equal lines have equal instructions.
bool add(PeriodFinder& finder, uint32_t line, uint64_t what = 0) {
    return finder.add(line * 1000003u + what, SourceLocation{0, 1, line});
}

TEST_CASE("a loop has the period of its body once two rounds were equal") {
    PeriodFinder finder;
    add(finder, 1);
    for (int round = 0; round < 3; ++round) {
        CHECK(finder.length() == 0);
        for (uint32_t line = 10; line < 15; ++line) add(finder, line);
    }
    CHECK(add(finder, 10));  // the third pass after the first shows two equal rounds
    CHECK(finder.length() == 5);
}

TEST_CASE("the outer loop wins, and its end ends the period") {
    PeriodFinder finder;
    const auto outer_round = [&] {
        for (uint32_t line = 20; line < 24; ++line) add(finder, line);
        for (int inner = 0; inner < 7; ++inner)
            for (uint32_t line = 30; line < 36; ++line) add(finder, line);
    };
    for (int round = 0; round < 5; ++round) outer_round();
    CHECK(finder.length() == 4 + 7 * 6);
    // Another number of inner rounds.
    for (uint32_t line = 20; line < 24; ++line) add(finder, line);
    for (int inner = 0; inner < 3; ++inner)
        for (uint32_t line = 30; line < 36; ++line) add(finder, line);
    for (uint32_t line = 20; line < 24; ++line) add(finder, line);
    CHECK(finder.length() != 4 + 7 * 6);
}

TEST_CASE("slots in turn make a period of several rounds") {
    PeriodFinder finder;
    std::vector<uint64_t> begins;
    for (uint64_t round = 0; round < 30; ++round)
        for (uint32_t line = 10; line < 15; ++line)
            if (add(finder, line, round % 3)) begins.push_back(finder.added() - 1);
    CHECK(finder.length() == 15);
    REQUIRE(begins.size() > 3);
    for (size_t i = 1; i < begins.size(); ++i) CHECK(begins[i] - begins[i - 1] == 15);
}

TEST_CASE("a signature ignores the place in global memory, but not its alignment") {
    Instruction load(Opcode::kTLOAD);
    GlobalView view;
    view.address = 0x2000'0000'0000;
    view.shape = {1, 1, 1, 16, 16};
    load.add(Tile{}).add(view);
    Instruction other = load;
    other.operands[1].global.address += 4096;
    CHECK(signature(other) == signature(load));
    other.operands[1].global.address += 64;
    CHECK(signature(other) != signature(load));
    other = load;
    other.operands[1].global.shape[4] = 8;
    CHECK(signature(other) != signature(load));
    other = load;
    other.operands[0].tile.address += 32;
    CHECK(signature(other) != signature(load));
}

}  // namespace
}  // namespace ptosim
