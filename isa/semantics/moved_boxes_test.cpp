// Extents of moves to factors, by hand from hw-native-sys/pto-isa include/pto/npu/a5/TExtract.hpp.
#include <catch2/catch.hpp>

#include <vector>

#include "isa/table/instruction_table.h"

using namespace ptosim;

namespace {

constexpr int kRows = 32, kCols = 64;

// A move of 5 x 20 elements of f16 from L1 to a left factor of 32 x 64: how many of its elements are written.
std::pair<int, int> moved(Compact compact) {
    Tile from = make_tile(Space::kL1, DType::kF16, kRows, kCols, OuterLayout::kColMajor, InnerLayout::kRowMajor);
    Tile to = make_tile(Space::kL0A, DType::kF16, kRows, kCols, OuterLayout::kColMajor, InnerLayout::kRowMajor);
    from.valid_rows = from.rows;
    from.valid_cols = from.cols;
    to.valid_rows = 5;
    to.valid_cols = 20;
    to.compact = compact;
    std::vector<std::byte> source(from.byte_size(), std::byte{1}), target(to.byte_size());
    Instruction move(Opcode::kTMOV);
    move.add(to).add(from);
    info(Opcode::kTMOV).semantics(Execution{move, {target.data(), source.data()}, Numerics::kA5});
    int rows = 0, cols = 0;
    const auto is_written = [&](int row, int col) {
        return target[static_cast<size_t>(to.index(row, col)) * 2] != std::byte{0};
    };
    while (rows < kRows && is_written(rows, 0)) ++rows;
    while (cols < kCols && is_written(0, cols)) ++cols;
    return {rows, cols};
}

}  // namespace

TEST_CASE("a compact factor gets the boxes of its valid region, any other all boxes") {
    CHECK(moved(Compact::kNormal) == std::pair{16, 32});  // TExtractToACompact: ceil(5 / 16), ceil(20 / 16)
    CHECK(moved(Compact::kNull) == std::pair{kRows, kCols});  // TExtractToA
}
