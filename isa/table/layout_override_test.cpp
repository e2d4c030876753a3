#include "isa/table/layout_override.h"

#include <catch2/catch.hpp>

using namespace ptosim;

namespace {

constexpr auto kRow = OuterLayout::kRowMajor, kCol = OuterLayout::kColMajor;
constexpr auto kBoxRow = InnerLayout::kRowMajor;

Instruction insert(const Tile& to, const Tile& from) {
    const Scalar zero{0, DType::kI32};
    return Instruction(Opcode::kTINSERT).add(to).add(from).add(zero).add(zero);
}

Tile taken(Instruction instruction, Arch arch) {
    override_layout(instruction, arch);
    return instruction.tile(0);
}

}  // namespace

// hw-native-sys/pto-isa include/pto/npu/a5/TInsert.hpp: the columns of blocks of a target with rows
// of blocks are as long as its rows are, and its valid region is not looked at.
TEST_CASE("TINSERT of the a5 takes rows of blocks in L1 for columns of blocks") {
    const Tile columns = make_tile(Space::kUB, DType::kF16, 16, 16, kCol, kBoxRow);
    Tile declared = make_tile(Space::kL1, DType::kF16, 32, 64, kRow, kBoxRow);
    declared.address = 4096;
    declared.valid_cols = 48;
    Tile expected = make_tile(Space::kL1, DType::kF16, 64, 32, kCol, kBoxRow);
    expected.address = 4096;
    CHECK(taken(insert(declared, columns), Arch::kA5) == expected);
    // Element (16, 16) of it: the second column of blocks begins after 64 rows of 16.
    CHECK(taken(insert(declared, columns), Arch::kA5).index(16, 16) == 64 * 16 + 16 * 16);

    // The order within its blocks is not looked at either: a transposed tile gets its columns as rows.
    Tile transposed = make_tile(Space::kL1, DType::kF16, 32, 64, kRow, InnerLayout::kColMajor);
    transposed.address = 4096;
    CHECK(taken(insert(transposed, columns), Arch::kA5) == expected);
    CHECK(transposed.index(16, 16) == expected.index(16, 16));
    CHECK(transposed.index(3, 17) == expected.index(17, 3));
    CHECK(taken(insert(transposed, columns), Arch::kA2A3) == transposed);

    CHECK(taken(insert(declared, columns), Arch::kA2A3) == declared);
    CHECK(taken(insert(expected, columns), Arch::kA5) == expected);
    Instruction split = insert(declared, columns);
    split.attributes.insert_split = 2;
    CHECK(taken(split, Arch::kA5) == declared);
    const Tile rows = make_tile(Space::kUB, DType::kF16, 16, 16, kRow, kBoxRow);
    CHECK(taken(insert(declared, rows), Arch::kA5) == declared);
    Tile in_ub = declared;
    in_ub.space = Space::kUB;
    CHECK(taken(insert(in_ub, columns), Arch::kA5) == in_ub);
    Instruction move(Opcode::kTMOV);
    move.add(declared).add(columns);
    CHECK(taken(move, Arch::kA5) == declared);
}
