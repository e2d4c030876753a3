// Expected cycles are counted by hand from VfSimulator's rules for the a5 (models/ascend950pr.json,
// aiv.vector.function); scripts/calibration/validate.py compares the whole with its runs.
#include "sim/machine/timing/vector_function.h"

#include <catch2/catch.hpp>

namespace ptosim {
namespace {

const ChipModel& a5() {
    static const ChipModel model = load_chip("ascend950pr", {});
    return model;
}

Tile at(uint32_t address, int passes) {
    Tile tile = make_tile(Space::kUB, DType::kF32, 1, 64 * passes);
    tile.address = address;
    return tile;
}

Instruction in_function(Opcode opcode, InFunction place, std::initializer_list<Tile> tiles) {
    Instruction instruction(opcode);
    for (const Tile& tile : tiles) instruction.add(tile);
    instruction.attributes.function = place;
    return instruction;
}

Cycle total(std::initializer_list<Instruction> instructions) {
    const CostModel costs(a5());
    VectorFunction function(a5());
    Cycle sum = 0;
    for (const Instruction& instruction : instructions)
        sum += function.cost(instruction, costs.cost(instruction)).occupancy;
    return sum;
}

constexpr auto kFirst = InFunction::kFirst, kFurther = InFunction::kFurther;

}  // namespace

TEST_CASE("two additions of one pass are a chain from the start-up to the drain") {
    // 23 before, 3 to the load, 6 to the first addition, 3 to the second, 3 + 2 to its store, the store's 9, and 12
    // after. The first result is stored in parallel.
    const Tile x = at(0, 1), y = at(0x1000, 1), z = at(0x2000, 1);
    CHECK(total({in_function(Opcode::kTADD, kFirst, {y, x, x}),
                 in_function(Opcode::kTADD, kFurther, {z, y, y})}) ==
          23 + 3 + 6 + 3 + 3 + 2 + 9 + 12);
}

TEST_CASE("what stays in a register is not stored") {
    // Two stores per pass need two cycles of the one port. Without the first, two additions per pass need at least one
    // cycle of the two units.
    const auto passes = [](bool stays, int count) {
        const Tile x = at(0, count), y = at(0x8000, count), z = at(0x10000, count);
        Instruction first = in_function(Opcode::kTADD, kFirst, {y, x, x});
        first.attributes.in_register = stays;
        return total({first, in_function(Opcode::kTADD, kFurther, {z, y, y})});
    };
    CHECK(passes(false, 96) - passes(false, 64) == 2 * 32);
    CHECK(passes(true, 96) - passes(true, 64) >= 32);
    CHECK(passes(true, 96) - passes(true, 64) < 2 * 32);
}

TEST_CASE("special functions share two units, four cycles each") {
    // Three per pass: twelve cycles of two units.
    const auto passes = [](int count) {
        const Tile x = at(0, count), y = at(0x8000, count), z = at(0x10000, count),
                   w = at(0x18000, count);
        return total({in_function(Opcode::kTEXP, kFirst, {y, x}),
                      in_function(Opcode::kTEXP, kFurther, {z, x}),
                      in_function(Opcode::kTEXP, kFurther, {w, x})});
    };
    CHECK(passes(96) - passes(64) == 6 * 32);
}

TEST_CASE("instructions of another shape are another loop, and no other start-up") {
    const Tile x = at(0, 32), y = at(0x8000, 32), s = at(0x10000, 4), t = at(0x11000, 4);
    const Cycle first = total({in_function(Opcode::kTADD, kFirst, {y, x, x}),
                               in_function(Opcode::kTADD, kFurther, {y, x, x})});
    const Cycle both = total({in_function(Opcode::kTADD, kFirst, {y, x, x}),
                              in_function(Opcode::kTADD, kFurther, {y, x, x}),
                              in_function(Opcode::kTADD, kFurther, {t, s, s})});
    // A loop of four passes alone: 3, 6, 5 and three more passes, and 9 of its last store.
    CHECK(both - first == 3 + 6 + 5 + 3 + 9);
}

TEST_CASE("a reduction ends a loop and costs what it costs without a start-up") {
    const CostModel costs(a5());
    const Tile x = at(0, 32), y = at(0x8000, 32);
    Tile row = make_tile(Space::kUB, DType::kF32, 32, 64), column = row;
    row.address = 0x10000;
    column = make_tile(Space::kUB, DType::kF32, 32, 1, OuterLayout::kColMajor);
    column.address = 0x18000;
    const Instruction reduction = in_function(Opcode::kTROWSUM, kFurther, {column, row, row});
    const Cycle before = total({in_function(Opcode::kTADD, kFirst, {y, x, x}),
                                in_function(Opcode::kTADD, kFurther, {y, x, x})});
    CHECK(total({in_function(Opcode::kTADD, kFirst, {y, x, x}),
                 in_function(Opcode::kTADD, kFurther, {y, x, x}), reduction}) -
              before ==
          costs.cost(reduction).occupancy - 23 - 12);
}

TEST_CASE("a chip without vector registers has no functions of several instructions") {
    const ChipModel old = load_chip("ascend910b1", {});
    VectorFunction function(old);
    const Tile x = at(0, 4), y = at(0x1000, 4);
    const Instruction add = in_function(Opcode::kTADD, kFurther, {y, x, x});
    const Cost alone = CostModel(old).cost(add);
    CHECK(function.cost(add, alone).occupancy == alone.occupancy);
}

}  // namespace ptosim
