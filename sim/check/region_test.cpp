// Regions against a byte-by-byte oracle.
#include "sim/check/region.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

namespace ptosim::check {
namespace {

std::set<uint64_t> bytes_of(const Region& region) {
    std::set<uint64_t> all;
    for (uint64_t line = 0; line < region.lines; ++line)
        for (uint64_t i = 0; i < region.width; ++i)
            all.insert(region.begin + line * region.pitch + i);
    return all;
}

bool common_byte(const std::set<uint64_t>& a, const std::set<uint64_t>& b) {
    for (uint64_t byte : a)
        if (b.count(byte) != 0) return true;
    return false;
}

TEST_CASE("overlap of regions is that of their bytes, and covers never says too much") {
    std::mt19937 random(1);
    const auto draw = [&random](uint64_t below) { return random() % below; };
    const auto region = [&draw](uint64_t pitch) {
        Region r{draw(60), 1 + draw(9), 0, 1 + draw(6)};
        if (r.lines > 1) r.pitch = std::max<uint64_t>(pitch, r.width + 1);
        return r;
    };
    unsigned meet = 0, covered = 0;
    for (int i = 0; i < 50000; ++i) {
        const uint64_t pitch = 2 + draw(14);
        const Region a = region(pitch), b = region(i % 3 == 0 ? 2 + draw(14) : pitch);
        const auto bytes_a = bytes_of(a), bytes_b = bytes_of(b);
        const bool expected = common_byte(bytes_a, bytes_b);
        REQUIRE(overlap(a, b) == expected);
        REQUIRE(overlap(b, a) == expected);
        meet += expected;
        if (covers(a, b)) {
            ++covered;
            for (uint64_t byte : bytes_b) REQUIRE(bytes_a.count(byte) == 1);
        }
    }
    CHECK(meet > 10000);
    CHECK(covered > 100);
}

TEST_CASE("the regions of a view are the bytes of its elements") {
    GlobalView view;
    view.address = 4096;
    view.dtype = DType::kF16;
    std::mt19937 random(2);
    std::vector<Region> regions;
    for (int i = 0; i < 2000; ++i) {
        int64_t stride = 1;
        for (int d = GlobalView::kRank - 1; d >= 0; --d) {
            // At most kMostRegions pieces: more become their covering range.
            view.shape[d] = static_cast<int32_t>(1 + random() % (d == 0 ? 2 : 3));
            view.stride[d] = stride + static_cast<int64_t>(random() % 3);
            stride = view.stride[d] * view.shape[d];
        }
        std::set<uint64_t> expected;
        std::array<int32_t, GlobalView::kRank> at{};
        for (int64_t element = 0; element < view.elements(); ++element) {
            int64_t rest = element, offset = 0;
            for (int d = 0; d < GlobalView::kRank; ++d) {
                at[d] = static_cast<int32_t>(rest % view.shape[d]);
                rest /= view.shape[d];
                offset += at[d] * view.stride[d];
            }
            expected.insert(view.address + static_cast<uint64_t>(offset) * 2);
            expected.insert(view.address + static_cast<uint64_t>(offset) * 2 + 1);
        }
        Instruction instruction(Opcode::kTSTORE);
        instruction.add(view);
        instruction.add(make_tile(Space::kUB, view.dtype, 16, 16));
        const Access access = accesses(instruction).items[0];
        regions_of(access, instruction, regions);
        std::set<uint64_t> found;
        for (const Region& region : regions) found.merge(bytes_of(region));
        REQUIRE(found == expected);
    }
}

TEST_CASE("the region of a tile is its valid elements, whole boxes where it has some") {
    std::vector<Region> regions;
    const auto bytes_in = [&](const Tile& tile) {
        Instruction instruction(Opcode::kTADD);
        for (int i = 0; i < 3; ++i) instruction.add(tile);
        regions_of(accesses(instruction).items[0], instruction, regions);
        REQUIRE(regions.size() == 1);
        return bytes_of(regions.front());
    };
    for (const auto outer : {OuterLayout::kRowMajor, OuterLayout::kColMajor})
        for (const auto inner :
             {InnerLayout::kNone, InnerLayout::kRowMajor, InnerLayout::kColMajor}) {
            Tile tile = make_tile(Space::kL1, DType::kF16, 48, 64, outer, inner);
            tile.valid_rows = 21;
            tile.valid_cols = 37;
            const std::set<uint64_t> found = bytes_in(tile);
            std::set<uint64_t> least;
            for (int32_t r = 0; r < tile.valid_rows; ++r)
                for (int32_t c = 0; c < tile.valid_cols; ++c) {
                    const auto at = static_cast<uint64_t>(tile.index(r, c)) * 2;
                    least.insert(at);
                    least.insert(at + 1);
                }
            for (uint64_t byte : least) REQUIRE(found.count(byte) == 1);
            if (inner == InnerLayout::kNone) CHECK(found.size() == least.size());
            tile.valid_rows = 32;
            tile.valid_cols = 48;
            CHECK(bytes_in(tile).size() == 32u * 48u * 2u);
        }
}

}  // namespace
}  // namespace ptosim::check
