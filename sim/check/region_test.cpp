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
            // At most kMostRegions pieces; more become their covering range.
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
        Instruction instruction(Opcode::kTPRINT);  // it has no lines, unlike transfers
        instruction.add(view);
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

// Bytes of the elements of rows x cols from (row, col) on. `whole_boxes`: of all boxes that contain them, except for
// elements next to them along the lines of NZ and ZN.
std::set<uint64_t> window_bytes(const Tile& tile, int32_t row, int32_t col, int32_t rows,
                                int32_t cols, bool whole_boxes) {
    const bool nz = tile.outer == OuterLayout::kColMajor && tile.inner == InnerLayout::kRowMajor;
    const bool zn = tile.outer == OuterLayout::kRowMajor && tile.inner == InnerLayout::kColMajor;
    int32_t first_row = row, first_col = col, end_row = row + rows, end_col = col + cols;
    if (whole_boxes && !nz) {
        first_row = first_row / tile.box_rows() * tile.box_rows();
        end_row = (end_row + tile.box_rows() - 1) / tile.box_rows() * tile.box_rows();
    }
    if (whole_boxes && !zn) {
        first_col = first_col / tile.box_cols() * tile.box_cols();
        end_col = (end_col + tile.box_cols() - 1) / tile.box_cols() * tile.box_cols();
    }
    std::set<uint64_t> all;
    for (int32_t r = first_row; r < end_row; ++r)
        for (int32_t c = first_col; c < end_col; ++c)
            for (uint64_t byte = 0; byte < 2; ++byte)
                all.insert(tile.address + static_cast<uint64_t>(tile.index(r, c)) * 2 + byte);
    return all;
}

TEST_CASE("an insertion writes its window, and an extraction reads its own") {
    std::mt19937 random(4);
    std::vector<Region> regions;
    const auto below = [&random](int32_t most) {
        return static_cast<int32_t>(random() % static_cast<uint32_t>(most));
    };
    for (int i = 0; i < 3000; ++i) {
        const auto outer = i % 2 == 0 ? OuterLayout::kRowMajor : OuterLayout::kColMajor;
        constexpr InnerLayout kInner[] = {InnerLayout::kNone, InnerLayout::kRowMajor,
                                          InnerLayout::kColMajor};
        Tile whole = make_tile(Space::kL1, DType::kF16, 48, 64, outer, kInner[i % 3]);
        whole.address = 512;
        const int32_t row = below(40), col = below(50);
        Tile part = make_tile(Space::kUB, DType::kF16, 16, 32);
        part.valid_rows = 1 + below(std::min(16, 48 - row));
        part.valid_cols = 1 + below(std::min(32, 64 - col));
        const bool inserts = below(2) == 0;
        Instruction window(inserts ? Opcode::kTINSERT : Opcode::kTEXTRACT);
        window.add(inserts ? whole : part).add(inserts ? part : whole);
        window.add(Scalar{static_cast<uint64_t>(row)}).add(Scalar{static_cast<uint64_t>(col)});
        regions_of(accesses(window).items[inserts ? 0 : 1], window, regions);
        REQUIRE(regions.size() == 1);
        const auto found = bytes_of(regions.front());
        INFO(to_text(window));
        CHECK(found == window_bytes(whole, row, col, part.valid_rows, part.valid_cols, true));
        if (!whole.boxed())
            CHECK(found == window_bytes(whole, row, col, part.valid_rows, part.valid_cols, false));
    }
}

TEST_CASE("a move reads what its destination has room for") {
    // A product of 21 x 37: L1 is declared to hold whole boxes, L0A takes the loaded part.
    const Tile l1 =
        make_tile(Space::kL1, DType::kF16, 32, 48, OuterLayout::kColMajor, InnerLayout::kRowMajor);
    Tile l0a =
        make_tile(Space::kL0A, DType::kF16, 32, 48, OuterLayout::kRowMajor, InnerLayout::kRowMajor);
    l0a.valid_rows = 21;
    l0a.valid_cols = 37;
    Instruction move(Opcode::kTMOV);
    move.add(l0a).add(l1);
    std::vector<Region> regions;
    regions_of(accesses(move).items[1], move, regions);
    REQUIRE(regions.size() == 1);
    // Columns of boxes: 16 wide, 32 high, of which 21 rows; 37 columns reach into the third.
    CHECK(regions.front() == Region{0, 21 * 32, 32 * 32, 3});
}

TEST_CASE("a fill in L1 writes every row below what is loaded") {
    Tile padded =
        make_tile(Space::kL1, DType::kF16, 48, 32, OuterLayout::kColMajor, InnerLayout::kRowMajor);
    Tile loaded = padded;
    loaded.valid_rows = 21;
    loaded.valid_cols = 13;
    Instruction fill(Opcode::kTFILLPAD);
    fill.add(padded).add(loaded);
    std::vector<Region> regions;
    regions_of(accesses(fill).items[0], fill, regions);
    REQUIRE(regions.size() == 2);
    // The second column of boxes next to the first 21 rows; rows 21 to 48 of both.
    CHECK(regions[0] == Region{48 * 32, 21 * 32, 0, 1});
    CHECK(regions[1] == Region{21 * 32, 27 * 32, 48 * 32, 2});
}

TEST_CASE("a transposition of a convolution reads the elements of its shape") {
    Instruction transpose(Opcode::kTTRANS);
    transpose.add(make_tile(Space::kUB, DType::kF16, 1, 4096));
    transpose.add(make_tile(Space::kUB, DType::kF16, 1, 1232));
    transpose.attributes.use_convolution().src = {.layout = GlobalLayout::kNCDHW, .dims = {2, 3, 4, 3, 17}};
    transpose.attributes.use_convolution().dst = {.layout = GlobalLayout::kFractalZ3D, .dims = {204, 1, 16, 16}};
    std::vector<Region> regions;
    regions_of(accesses(transpose).items[1], transpose, regions);
    REQUIRE(regions.size() == 1);
    CHECK(regions.front() == Region{0, 2 * 3 * 4 * 3 * 17 * 2, 0, 1});
}

TEST_CASE("a product touches as much of its accumulator as its factors are large") {
    Tile accumulator = make_tile(Space::kL0C, DType::kF32, 32, 64, OuterLayout::kColMajor,
                                 InnerLayout::kRowMajor, 1024);
    Tile left =
        make_tile(Space::kL0A, DType::kF16, 32, 32, OuterLayout::kRowMajor, InnerLayout::kRowMajor);
    Tile right =
        make_tile(Space::kL0B, DType::kF16, 32, 64, OuterLayout::kRowMajor, InnerLayout::kColMajor);
    left.valid_rows = 20;
    right.valid_cols = 24;
    Instruction product(Opcode::kTMATMUL_ACC);
    product.add(accumulator).add(accumulator).add(left).add(right);
    std::vector<Region> regions;
    for (const unsigned operand : {0u, 1u}) {
        regions_of(accesses(product).items[operand], product, regions);
        REQUIRE(regions.size() == 1);
        // Columns of boxes: 16 wide, 32 high, of which 20 rows; 24 columns reach into the second.
        CHECK(regions.front() == Region{0, 20 * 64, 32 * 64, 2});
    }
}

TEST_CASE("a move from L0C to both vector cores inserts half of it into each") {
    Instruction insert(Opcode::kTINSERT);
    insert.add(make_tile(Space::kUB, DType::kF32, 32, 64));
    insert.add(make_tile(Space::kL0C, DType::kF32, 32, 64, OuterLayout::kColMajor,
                         InnerLayout::kRowMajor, 1024));
    insert.add(Scalar{8}).add(Scalar{0});
    insert.attributes.acc_to_vec = AccToVec::kDualSplitM;
    std::vector<Region> regions;
    regions_of(accesses(insert).items[0], insert, regions);
    REQUIRE(regions.size() == 1);
    CHECK(regions.front() == Region{8 * 256, 16 * 256, 0, 1});
}

}  // namespace
TEST_CASE("a move of exponents reads them one after the other, and writes zeros behind them") {
    Tile to = make_tile(Space::kUB, DType::kE8M0, 48, 6, OuterLayout::kRowMajor,
                        InnerLayout::kRowMajor, 32);
    to.valid_rows = 37;
    Tile from = make_tile(Space::kUB, DType::kE8M0, 1, 320);
    from.address = 4096;
    Tile scratch = make_tile(Space::kUB, DType::kE8M0, 1, 64);
    scratch.address = 8192;
    Instruction move(Opcode::kTMOV);
    move.add(to).add(from).add({}).add({}).add(scratch);
    const AccessList list = accesses(move);
    REQUIRE(list.count == 4);
    const Access& read = list.items[1];
    const Access& filled = list.items[2];
    CHECK((read.reads && !read.writes && filled.writes && !filled.reads));
    CHECK((read.operand == 1 && filled.operand == 1));
    std::vector<Region> regions;
    regions_of(read, move, regions);
    REQUIRE(regions.size() == 1);
    CHECK((regions[0].begin == 4096 && regions[0].end() == 4096 + 37 * 6));
    regions_of(filled, move, regions);
    REQUIRE(regions.size() == 1);
    CHECK((regions[0].begin == 4096 + 37 * 6 && regions[0].end() == 4096 + 48 * 6));
}

}  // namespace ptosim::check
