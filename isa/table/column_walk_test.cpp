#include "isa/table/column_walk.h"

#include <catch2/catch.hpp>

using namespace ptosim;

namespace {

// A column of 16, of which 4 elements are valid; `cols`: as its type has its valid columns.
Tile column(int32_t cols, int32_t rows = 16) {
    Tile tile = make_tile(Space::kUB, DType::kF16, rows, 1, OuterLayout::kColMajor);
    tile.address = 64;
    tile.valid_rows = 4;
    tile.valid_cols = cols;
    return tile;
}

Instruction adds(const Tile& dst, const Tile& src, Opcode opcode = Opcode::kTADDS) {
    return Instruction(opcode).add(dst).add(src).add(Scalar{0, DType::kF16});
}

}  // namespace

// By hand from hw-native-sys/pto-isa include/pto/npu/a2a3/TBinSOp.hpp: the template takes the run
// of elements where ValidCol, a constant of the type, is Cols; else repeats at a distance of
// RowStride / blockSizeElem, which is 1 / 16.
TEST_CASE("columns of scalar operations are a run, or their first element") {
    constexpr auto kA3 = Arch::kA2A3;
    CHECK(column_walk(adds(column(1), column(1)), kA3) == ColumnWalk::kElements);
    CHECK(column_walk(adds(column(-1), column(-1)), kA3) == ColumnWalk::kFirst);
    CHECK(column_walk(adds(column(1), column(-1), Opcode::kTMINS), kA3) == ColumnWalk::kFirst);
    CHECK(column_walk(adds(column(-1, 256), column(-1, 256)), kA3) == ColumnWalk::kNone);
    CHECK(column_walk(adds(column(1, 256), column(1, 256)), kA3) == ColumnWalk::kElements);
    CHECK(column_walk(adds(column(1), column(1)), Arch::kA5) == ColumnWalk::kNone);
    const Tile row = make_tile(Space::kUB, DType::kF16, 1, 16);
    CHECK(column_walk(adds(row, column(1)), kA3) == ColumnWalk::kNone);
    CHECK(column_walk(adds(row, row), kA3) == ColumnWalk::kNone);
    CHECK(column_walk(adds(column(1), column(1), Opcode::kTANDS), kA3) == ColumnWalk::kNone);
}

TEST_CASE("a column becomes the row that is walked") {
    Instruction instruction = adds(column(1), column(1));
    Tile row = make_tile(Space::kUB, DType::kF16, 1, 16);
    row.address = 64;
    row.valid_cols = 4;
    walk_columns(instruction, ColumnWalk::kElements);
    CHECK(instruction.tile(0) == row);
    CHECK(instruction.tile(1) == row);
    instruction = adds(column(1), column(1));
    row.valid_cols = 1;
    walk_columns(instruction, ColumnWalk::kFirst);
    CHECK(instruction.tile(0) == row);
    instruction = adds(column(0), column(0));
    row.valid_rows = row.valid_cols = 0;
    walk_columns(instruction, ColumnWalk::kFirst);
    CHECK(instruction.tile(1) == row);
    instruction = adds(column(1), column(1));
    walk_columns(instruction, ColumnWalk::kNone);
    CHECK(instruction.tile(0) == column(1));
}
