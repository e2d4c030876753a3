// The wire protocol of FIFOs, seen from a vector core: which flags, in which order.
#include <catch2/catch.hpp>
#include <pto/pto-inst.hpp>

#include "recorder.h"

using namespace pto;

namespace {

using Data = Tile<TileType::Vec, float, 8, 16>;
constexpr uint32_t kSlot = 8 * 16 * 4;

std::string names(const std::vector<Recorded>& recorded) {
    std::string all;
    for (const Recorded& r : recorded) {
        all += r.name;
        const int id = r.attribute(PTOSIM_ATTR_EVENT);
        if (id >= 0) all += "#" + std::to_string(id);
        all += " ";
    }
    return all;
}

}  // namespace

#ifdef PTO_NPU_ARCH_A2A3
TEST_CASE("a vector core pushes through global memory and waits for slots that were emptied") {
    float slots[4 * 128] = {};
    take_recorded();
    {
        using Pipe = TPipe<4, Direction::DIR_V2C, kSlot, 2>;
        Pipe pipe(slots, 0, 0);
        Data tile;
        for (int i = 0; i < 3; ++i) TPUSH<Pipe, Data, TILE_NO_SPLIT>(pipe, tile);
    }
    // Two slots are free at first; the third push waits for both to be emptied. Of the two notices
    // of two slots each that the consumer gives for three tiles, one has been waited for.
    const auto recorded = take_recorded();
    CHECK(names(recorded) ==
          "TSTORE CROSS_SET#4 TSTORE CROSS_SET#4 CROSS_WAIT#5 TSTORE CROSS_SET#4 ");
    CHECK(recorded[2].operands[0].global.address == reinterpret_cast<uintptr_t>(slots + 128));
    CHECK(recorded[5].operands[0].global.address == reinterpret_cast<uintptr_t>(slots));
    CHECK(recorded[1].attribute(PTOSIM_ATTR_SOURCE_PIPE) == PTOSIM_PIPE_MTE3);
}

TEST_CASE("a vector core pops its half of what the cube core pushed") {
    float slots[4 * 128] = {};
    identity().subblock = 1;
    take_recorded();
    using Pipe = TPipe<0, Direction::DIR_C2V, 2 * kSlot, 2>;
    Pipe pipe(slots, 0x1000, 0);
    Data tile;
    TPOP<Pipe, Data, TILE_UP_DOWN>(pipe, tile);
    TPOP<Pipe, Data, TILE_UP_DOWN>(pipe, tile);
    identity().subblock = 0;
    const auto recorded = take_recorded();
    CHECK(names(recorded) == "CROSS_WAIT#0 TLOAD CROSS_WAIT#0 TLOAD CROSS_SET#1 ");
    CHECK(recorded[1].operands[1].global.address == reinterpret_cast<uintptr_t>(slots + 128));
    CHECK(recorded[3].operands[0].tile.address == 0x1000 + 2 * kSlot);
}

TEST_CASE("notices of emptied slots that are left over, counted by hand") {
    using Two = TPipe<0, Direction::DIR_V2C, kSlot, 2>;
    using Eight = TPipe<0, Direction::DIR_V2C, kSlot, 8>;
    // Two slots: notices after tiles 2, 4, ..., waits before tiles 3, 5, ...
    const uint32_t two[] = {0, 0, 1, 0, 1, 0, 1};
    for (uint32_t tiles = 0; tiles < 7; ++tiles)
        CHECK(Two::countPendingFreeCredits(tiles) == two[tiles]);
    // Eight slots: notices after 4, 8, 12; waits before tiles 9, 13.
    CHECK(Eight::countPendingFreeCredits(8) == 2);
    CHECK(Eight::countPendingFreeCredits(9) == 1);
    CHECK(Eight::countPendingFreeCredits(12) == 2);
}
#else
TEST_CASE("a vector core pushes into L1 and says so on its own flag") {
    take_recorded();
    {
        using Pipe = TPipe<4, Direction::DIR_V2C, kSlot, 2>;
        Pipe pipe(nullptr, 0, 0x2000);
        Tile<TileType::Vec, half, 16, 16> tile;
        TPUSH<Pipe, decltype(tile), TILE_NO_SPLIT>(pipe, tile);
    }
    const auto recorded = take_recorded();
    CHECK(names(recorded) == "TINSERT INTRA_SET#4 INTRA_WAIT#5 INTRA_WAIT#5 ");
    CHECK(recorded[0].operands[0].tile.space == PTOSIM_L1);
    CHECK(recorded[0].operands[0].tile.address == 0x2000);
    CHECK(recorded[1].attribute(PTOSIM_ATTR_SOURCE_PIPE) == PTOSIM_PIPE_MTE3);
}

TEST_CASE("a vector core finds tiles in its UB and frees their slots") {
    take_recorded();
    {
        using Pipe = TPipe<0, Direction::DIR_C2V, kSlot, 2>;
        Pipe pipe(nullptr, 0x1000, 0);
        Data tile;
        TPOP<Pipe, Data, TILE_UP_DOWN>(pipe, tile);
        CHECK(tile.address == 0x1000);
        TFREE<Pipe, TILE_UP_DOWN>(pipe);
        TPOP<Pipe, Data, TILE_UP_DOWN>(pipe, tile);
        CHECK(tile.address == 0x1000 + kSlot);
        TFREE<Pipe, TILE_UP_DOWN>(pipe);
    }
    CHECK(names(take_recorded()) ==
          "INTRA_SET#1 INTRA_SET#1 INTRA_WAIT#0 INTRA_WAIT#0 INTRA_SET#1 ");
}
#endif
