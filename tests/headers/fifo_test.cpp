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

namespace {
using Wide = Tile<TileType::Vec, float, 8, 32>;
using Factor = Tile<TileType::Mat, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor>;
using Product =
    Tile<TileType::Acc, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 1024>;
}  // namespace

// Two matrices of the consumer next to one another in the tile are one after the other in the slot
// of 2 * 16 * 16 elements; the kernel gives their place in it.
TEST_CASE("a TMPipe pushes a wide tile as matrices of its consumer, and tells when it is told to") {
    float slots[2 * 512] = {};
    take_recorded();
    {
        TMPipe<4, FIFOType::GM_FIFO, 2, 1, Wide, Factor> pipe(slots, 0);
        Wide tile;
        TASSIGN(tile, 0x400);
        pipe.prod.setAllocateStatus(false);
        pipe.prod.setTileId(3, 0);
        pipe.prod.setEntryOffset(8 * 16 * 4);
        TPUSH(tile, pipe);
        CHECK(pipe.prod.getTileId() == 4);
        pipe.prod.setAllocateStatus(true);
        pipe.prod.setRecordStatus(false);
        TPUSH(tile, pipe);
    }
    const auto recorded = take_recorded();
    CHECK(names(recorded) == "TSTORE TSTORE CROSS_SET#4 CROSS_WAIT#5 TSTORE TSTORE CROSS_WAIT#5 ");
    const auto first = reinterpret_cast<uintptr_t>(slots + 512 + 128);
    CHECK(recorded[0].operands[0].global.address == first);
    CHECK(recorded[1].operands[0].global.address == first + 256 * 4);
    CHECK(recorded[0].operands[1].tile.address == 0x400);
    CHECK(recorded[1].operands[1].tile.address == 0x440);
    CHECK(recorded[1].operands[1].tile.valid_cols == 16);
    CHECK(recorded[4].operands[0].global.address == reinterpret_cast<uintptr_t>(slots + 128));
}

TEST_CASE("a TMPipe gives popped tiles places of their own, and frees slots as it is told to") {
    float slots[2 * 512] = {};
    take_recorded();
    {
        TMPipe<2, FIFOType::GM_FIFO, 2, 1, Product, Wide> pipe(slots, 0x1000);
        Wide tile;
        pipe.cons.setTileId(1, 0);
        TPOP(tile, pipe);
        pipe.cons.setFreeStatus(false);
        TPOP(tile, pipe);
        TFREE(pipe);
    }
    const auto recorded = take_recorded();
    // One notice when it is made; two products side by side in each tile.
    CHECK(names(recorded) ==
          "CROSS_SET#3 CROSS_WAIT#2 TLOAD TLOAD CROSS_SET#3 CROSS_WAIT#2 TLOAD TLOAD ");
    CHECK(recorded[2].operands[1].global.address == reinterpret_cast<uintptr_t>(slots + 512));
    CHECK(recorded[3].operands[1].global.address == reinterpret_cast<uintptr_t>(slots + 768));
    CHECK(recorded[2].operands[0].tile.address == 0x1000 + 8 * 32 * 4);
    CHECK(recorded[3].operands[0].tile.address == 0x1040 + 8 * 32 * 4);
    CHECK(recorded[6].operands[0].tile.address == 0x1000);
    CHECK(recorded[4].attribute(PTOSIM_ATTR_SOURCE_PIPE) == PTOSIM_PIPE_MTE2);
}
#else
namespace {
using Quarter = Tile<TileType::Vec, half, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor>;
using Factor = Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor>;
using Product =
    Tile<TileType::Acc, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 1024>;
using Rows = Tile<TileType::Vec, float, 16, 32>;
}  // namespace

TEST_CASE("a TMPipe in L1 takes the rows of each vector core") {
    identity().subblock = 1;
    take_recorded();
    {
        TMPipe<4, FIFOType::MAT_FIFO, 2, 2, Quarter, Factor> pipe(0x2000);
        Quarter tile;
        pipe.prod.setAllocateStatus(false);
        pipe.prod.setTileId(1, 0);
        TPUSH(tile, pipe);
        CHECK(pipe.prod.getTileId() == 1);
    }
    identity().subblock = 0;
    const auto recorded = take_recorded();
    CHECK(names(recorded) == "TINSERT INTRA_SET#4 INTRA_WAIT#5 ");
    CHECK(recorded[0].operands[0].tile.space == PTOSIM_L1);
    CHECK(recorded[0].operands[0].tile.address == 0x2000 + 32 * 32 * 2);
    CHECK(recorded[0].operands[2].scalar.bits == 16);
}

TEST_CASE("a tile popped from a TMPipe in UB stays where it is, until TFREE") {
    take_recorded();
    {
        TMPipe<2, FIFOType::VEC_FIFO, 2, 2, Product, Rows> pipe(0x1000);
        Rows tile;
        TASSIGN(tile, 0x1000);
        TPOP(tile, pipe);
        TFREE(pipe);
        pipe.cons.setFreeStatus(false);
        TFREE(pipe);
    }
    const auto recorded = take_recorded();
    CHECK(names(recorded) == "INTRA_SET#3 INTRA_WAIT#2 INTRA_SET#3 ");
    CHECK(recorded[1].attribute(PTOSIM_ATTR_DESTINATION_PIPE) == PTOSIM_PIPE_V);
}

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
