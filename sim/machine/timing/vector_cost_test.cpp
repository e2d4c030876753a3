// Vector instructions that a library composes of several, counted by hand from hw-native-sys/pto-isa
// include/pto/npu/a2a3, and measured ones.
#include "sim/machine/timing/vector_cost.h"

#include <catch2/catch.hpp>

#include "isa/core/view_rows.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {
namespace {

const ChipModel& chip_of_vector_cost() {
    static const ChipModel model = load_chip("ascend910b1", {});
    return model;
}

Tile ub(DType type, int rows, int cols) { return make_tile(Space::kUB, type, rows, cols); }
Tile column(DType type, int rows) {
    return make_tile(Space::kUB, type, rows, 1, OuterLayout::kColMajor);
}

double cycles(Opcode opcode, std::initializer_list<Operand> operands) {
    Instruction instruction(opcode);
    for (const Operand& operand : operands) instruction.add(operand);
    return static_cast<double>(CostModel(chip_of_vector_cost()).cost(instruction).occupancy);
}

TEST_CASE("a copy within UB takes a cycle a block, and five cycles") {
    // pto-isa tests/costmodel/st TMOV: 1029 cycles for 64 x 128 f32, 1323 for 63 x 125 of it.
    CHECK(cycles(Opcode::kTMOV, {ub(DType::kF32, 64, 128), ub(DType::kF32, 64, 128)}) == 1029);
    Tile part = ub(DType::kF32, 64, 128);
    part.valid_rows = 63;
    part.valid_cols = 125;
    CHECK(cycles(Opcode::kTMOV, {part, part}) == 1323);
    // TCOLEXPAND copies the row to each of 16: 8 blocks.
    CHECK(cycles(Opcode::kTCOLEXPAND, {ub(DType::kF32, 16, 64), ub(DType::kF32, 1, 64)}) ==
          16 * (8 + 5));
}

TEST_CASE("the scalar unit shifts by a tile of distances") {
    const auto shift = [](int rows) {
        const Tile tile = ub(DType::kI32, rows, 8);
        return cycles(Opcode::kTSHL, {tile, tile, tile});
    };
    CHECK(shift(12) - shift(10) == 2 * 8 * 7);
}

TEST_CASE("rows of integers are reduced block by block, and then by the scalar unit") {
    const auto row = [](DType type, int cols) {
        const auto sum = [&](int rows) {
            return cycles(Opcode::kTROWSUM,
                          {column(type, rows), ub(type, rows, cols), ub(type, 1, 64)});
        };
        return (sum(108) - sum(8)) / 100;
    };
    // A broadcast and two dependent sums of about 21 cycles each, and 8 elements of three operations.
    CHECK(row(DType::kI32, 16) == Approx(3 * 21.457 + 24).margin(0.5));
    CHECK(row(DType::kF32, 16) == Approx(7).margin(0.5));
}

TEST_CASE("instructions that take row by row wait in each row") {
    const auto row = [](int cols) {
        const auto sum = [&](int rows) {
            const Tile words = ub(DType::kI32, rows, cols);
            return cycles(Opcode::kTADDDEQRELU, {ub(DType::kF16, rows, cols), words, words, words});
        };
        return (sum(28) - sum(18)) / 10;
    };
    CHECK(row(64) == Approx(8 * (22 + 1)).margin(1));
    // One repeat and a part of one.
    CHECK(row(72) == Approx(2 * 8 * 22 + 8 * 72.0 / 64).margin(9));
}

TEST_CASE("an operation with a column of one element a row is no reduction") {
    Tile narrow = ub(DType::kF32, 512, 8);
    narrow.valid_cols = 1;
    CHECK(cycles(Opcode::kTROWEXPANDMUL, {narrow, narrow, column(DType::kF32, 512)}) ==
          Approx(512 + 512 / 8 + 50).margin(40));
}

TEST_CASE("blocks of an NDC1HWC0 view lie together with their channels") {
    // 3 depths of 4 x 5 x 6 blocks of 8 channels f32, every other one of a tensor.
    GlobalView view;
    view.layout = GlobalLayout::kNDC1HWC0;
    view.shape = {3, 1, 4, 5, 6};
    view.stride = {4 * 5 * 6 * 8 * 2, 4 * 5 * 6 * 8, 5 * 6 * 8, 6 * 8, 8};
    CHECK(rows_of(view).length == 4 * 5 * 6 * 8);
    CHECK(row_count(view) == 3);
    Instruction store(Opcode::kTSTORE);
    store.add(view).add(make_tile(Space::kL0C, DType::kF32, 368, 32));
    CHECK(CostModel(chip_of_vector_cost()).cost(store).bytes == 3 * 4 * 5 * 6 * 8 * 4);
}

}  // namespace
}  // namespace ptosim
