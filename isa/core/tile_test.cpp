// Tiles and views: sizes and extents. Their index maps are covered by the golden cases
// (semantics/golden_test.cpp, from reshaped numpy ranges).
#include <catch2/catch.hpp>

#include <vector>

#include "isa/core/global_view.h"
#include "isa/core/tile.h"

using namespace ptosim;

namespace {

constexpr auto kRow = OuterLayout::kRowMajor;
constexpr auto kCol = OuterLayout::kColMajor;

struct Layout {
    OuterLayout outer;
    InnerLayout inner;
};
constexpr Layout kLayouts[] = {{kRow, InnerLayout::kNone},     {kCol, InnerLayout::kNone},
                               {kCol, InnerLayout::kRowMajor}, {kRow, InnerLayout::kColMajor},
                               {kRow, InnerLayout::kRowMajor}, {kCol, InnerLayout::kColMajor}};

}  // namespace

TEST_CASE("every layout is a bijection onto the elements of the tile") {
    for (const Layout& layout : kLayouts)
        for (DType type : {DType::kF32, DType::kF16, DType::kI8})
            for (uint16_t fractal : {uint16_t{512}, uint16_t{1024}}) {
                const Tile tile =
                    make_tile(Space::kL1, type, 96, 64, layout.outer, layout.inner, fractal);
                INFO(to_text(tile) << " fractal " << fractal);
                std::vector<bool> seen(96 * 64);
                for (int r = 0; r < 96; ++r)
                    for (int c = 0; c < 64; ++c) {
                        const int64_t at = tile.index(r, c);
                        REQUIRE(at >= 0);
                        REQUIRE(at < 96 * 64);
                        REQUIRE_FALSE(seen[static_cast<size_t>(at)]);
                        seen[static_cast<size_t>(at)] = true;
                    }
                CHECK(tile.byte_size() == bytes(type, 96 * 64));
            }
}

TEST_CASE("touched bytes end after the last byte of the valid region in every layout") {
    for (const Layout& layout : kLayouts)
        for (int rows : {1, 15, 16, 17, 95, 96})
            for (int cols : {1, 8, 9, 16, 31, 64}) {
                Tile tile = make_tile(Space::kL1, DType::kF16, 96, 64, layout.outer, layout.inner);
                tile.valid_rows = rows;
                tile.valid_cols = cols;
                int64_t last = 0;
                for (int r = 0; r < rows; ++r)
                    for (int c = 0; c < cols; ++c) last = std::max(last, tile.index(r, c));
                INFO(to_text(tile));
                CHECK(tile.touched_bytes() == static_cast<uint64_t>(2 * (last + 1)));
            }
    Tile empty = make_tile(Space::kUB, DType::kF32, 8, 8);
    empty.valid_rows = 0;
    CHECK(empty.touched_bytes() == 0);
}

TEST_CASE("a window keeps the pitch of its parent") {
    Tile parent = make_tile(Space::kUB, DType::kF32, 8, 64);
    Tile window = make_tile(Space::kUB, DType::kF32, 2, 16);
    window.pitch = parent.pitch;
    CHECK(window.index(1, 3) == parent.index(1, 3));
    CHECK(window.touched_bytes() == (64 + 16) * 4);
    CHECK(window.byte_size() == (64 + 16) * 4);

    // A window of fractals: rows 16..31 of an NZ tile of 64 rows.
    parent = make_tile(Space::kL1, DType::kF16, 64, 32, kCol, InnerLayout::kRowMajor);
    window = make_tile(Space::kL1, DType::kF16, 16, 32, kCol, InnerLayout::kRowMajor);
    window.pitch = parent.pitch;
    for (int r = 0; r < 16; ++r)
        for (int c = 0; c < 32; ++c)
            CHECK(window.index(r, c) == parent.index(16 + r, c) - parent.index(16, 0));
}

TEST_CASE("tiles are described with their layout, window and valid region") {
    Tile tile = make_tile(Space::kUB, DType::kF32, 16, 256);
    tile.address = 0x100;
    tile.valid_cols = 200;
    CHECK(to_text(tile) == "UB f32 16x256 ND @0x100 valid 16x200");
    tile.pitch = 512;
    CHECK(to_text(tile) == "UB f32 16x256 ND @0x100 valid 16x200 pitch 512");
    tile = make_tile(Space::kL0A, DType::kF16, 16, 32, kRow, InnerLayout::kRowMajor);
    CHECK(to_text(tile) == "L0A f16 16x32 ZZ @0x0");
    CHECK(parse_location("acc") == Space::kL0C);
    CHECK(parse_location("ub") == Space::kUB);
    CHECK(parse_location("gm") == std::nullopt);
}

TEST_CASE("views see a matrix in each layout, and span what they reach") {
    GlobalView view;
    view.dtype = DType::kF16;
    view.shape = {2, 3, 4, 5, 6};
    view.stride = {1000, 300, 70, 10, 1};
    CHECK(view.matrix_rows() == 120);
    CHECK(view.matrix_cols() == 6);
    CHECK(view.matrix_offset(119, 5) == 1000 + 600 + 210 + 40 + 5);
    CHECK(view.span_bytes() == 2 * (1000 + 600 + 210 + 40 + 5 + 1));
    view.layout = GlobalLayout::kDN;
    CHECK(view.matrix_rows() == 5);
    CHECK(view.matrix_cols() == 144);
    CHECK(view.matrix_offset(4, 143) == 1000 + 600 + 210 + 40 + 5);
    view.layout = GlobalLayout::kNZ;
    CHECK(view.matrix_rows() == 20);
    CHECK(view.matrix_cols() == 36);
    CHECK(to_text(view) == "f16 [2,3,4,5,6] strides [1000,300,70,10,1] NZ");
}
