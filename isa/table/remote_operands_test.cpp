// Moves out of L0C to both vector cores: the part that each of them gets.
#include "isa/legality/legality.h"
#include "isa/table/remote_operands.h"

#include <catch2/catch.hpp>

#include <numeric>
#include <vector>

#include "isa/table/instruction_table.h"

using namespace ptosim;

namespace {

constexpr auto kCol = OuterLayout::kColMajor;
constexpr auto kBoxRow = InnerLayout::kRowMajor;

// L0C has 1000 * row + column at (row, column).
std::vector<float> accumulator(const Tile& tile) {
    std::vector<float> values(tile.byte_size() / 4);
    for (int row = 0; row < tile.rows; ++row)
        for (int col = 0; col < tile.cols; ++col)
            values[static_cast<size_t>(tile.index(row, col))] =
                static_cast<float>(1000 * row + col);
    return values;
}

// Result of a half in an ND tile of UB that contained -1 before.
std::vector<float> result(const Instruction& half) {
    std::vector<float> source =
        accumulator(make_tile(Space::kL0C, DType::kF32, 32, 64, kCol, kBoxRow, 1024));
    std::vector<float> target(half.tile(0).byte_size() / 4, -1.0F);
    Execution execution{half, {}, Numerics::kIEEE};
    execution.bytes[0] = reinterpret_cast<std::byte*>(target.data());
    execution.bytes[1] = reinterpret_cast<std::byte*>(source.data()) + half.tile(1).address;
    info(half.opcode).semantics(execution);
    return target;
}

Instruction move(Opcode opcode, AccToVec mode, int rows, int cols, int at_row, int at_col) {
    Instruction instruction(opcode);
    instruction.add(make_tile(Space::kUB, DType::kF32, rows, cols));
    instruction.add(make_tile(Space::kL0C, DType::kF32, 32, 64, kCol, kBoxRow, 1024));
    if (opcode != Opcode::kTMOV)
        for (int at : {at_row, at_col})
            instruction.add(Scalar{static_cast<uint64_t>(at), DType::kI64});
    instruction.attributes.acc_to_vec = mode;
    return instruction;
}

void check_corner(const Instruction& dual, int core, int row, int col, float expected) {
    Problem problem;
    const bool legal = check_legality(dual, Arch::kA5, problem);
    INFO(problem.message);
    REQUIRE(legal);
    REQUIRE(is_dual_move(dual));
    const Instruction half = split_dual_destination(dual)[static_cast<size_t>(core)];
    CHECK(result(half)[static_cast<size_t>(half.tile(0).index(row, col))] == expected);
}

}  // namespace

TEST_CASE("TMOV splits the accumulator by rows or columns") {
    const Instruction rows = move(Opcode::kTMOV, AccToVec::kDualSplitM, 16, 64, 0, 0);
    check_corner(rows, 0, 15, 63, 15063);
    check_corner(rows, 1, 0, 0, 16000);
    const Instruction cols = move(Opcode::kTMOV, AccToVec::kDualSplitN, 32, 32, 0, 0);
    check_corner(cols, 1, 31, 1, 31033);
}

TEST_CASE("TEXTRACT takes two windows, one behind the other") {
    const Instruction rows = move(Opcode::kTEXTRACT, AccToVec::kDualSplitM, 8, 32, 16, 16);
    check_corner(rows, 0, 0, 0, 16016);
    check_corner(rows, 1, 7, 31, 31047);
    const Instruction cols = move(Opcode::kTEXTRACT, AccToVec::kDualSplitN, 8, 16, 16, 32);
    check_corner(cols, 1, 0, 0, 16048);
    Problem problem;
    CHECK_FALSE(check_legality(move(Opcode::kTEXTRACT, AccToVec::kDualSplitM, 16, 32, 16, 0),
                               Arch::kA5, problem));
    CHECK(problem.code == "S11");  // 32 rows from row 16 on
}

TEST_CASE("TINSERT puts one half into each core's tile") {
    const Instruction rows = move(Opcode::kTINSERT, AccToVec::kDualSplitM, 24, 64, 8, 0);
    check_corner(rows, 0, 7, 0, -1);
    check_corner(rows, 0, 8, 0, 0);
    check_corner(rows, 1, 8, 5, 16005);
    const Instruction cols = move(Opcode::kTINSERT, AccToVec::kDualSplitN, 32, 48, 0, 16);
    check_corner(cols, 1, 3, 16, 3032);
}

TEST_CASE("boxed tiles get whole boxes of the halves") {
    // 25 rows and 50 columns are valid: the halves are 16 rows (of 32) and 32 columns (of 64).
    const auto boxed = [](AccToVec mode, int rows, int cols, int valid_rows, int valid_cols) {
        Instruction dual = move(Opcode::kTMOV, mode, rows, cols, 0, 0);
        dual.operands[0].tile = make_tile(Space::kUB, DType::kF32, rows, cols, kCol, kBoxRow);
        dual.operands[1].tile.valid_rows = valid_rows;
        dual.operands[1].tile.valid_cols = valid_cols;
        return dual;
    };
    check_corner(boxed(AccToVec::kDualSplitM, 16, 64, 25, 64), 1, 8, 5, 24005);
    check_corner(boxed(AccToVec::kDualSplitN, 32, 32, 32, 50), 1, 31, 17, 31049);
    Problem problem;
    CHECK_FALSE(check_legality(boxed(AccToVec::kDualSplitM, 8, 64, 25, 64), Arch::kA5, problem));
    CHECK(problem.code == "S04");
}

TEST_CASE("L1 goes to UB of either vector core, on a5") {
    Instruction copy(Opcode::kTMOV);
    copy.add(make_tile(Space::kUB, DType::kU8, 2, 64));
    copy.add(make_tile(Space::kL1, DType::kU8, 2, 64));
    Problem problem;
    for (AccToVec core : {AccToVec::kSingle0, AccToVec::kSingle1}) {
        copy.attributes.acc_to_vec = core;
        CHECK(check_legality(copy, Arch::kA5, problem));
        CHECK(remote_cores_of(copy, 0) == (core == AccToVec::kSingle0 ? kRemoteAiv0 : kRemoteAiv1));
    }
    CHECK(pipe_of(copy, Arch::kA5) == Pipe::kMTE1);
    CHECK(core_of(copy) == CoreType::kAIC);
    copy.attributes.acc_to_vec = AccToVec::kSingle0;
    CHECK_FALSE(check_legality(copy, Arch::kA2A3, problem));
    CHECK(problem.code == "L01");
}
