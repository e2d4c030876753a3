// TINTERLEAVE of rows of even and odd length, by hand.
#include <catch2/catch.hpp>

#include <vector>

#include "isa/legality/legality.h"
#include "isa/table/instruction_table.h"

using namespace ptosim;

namespace {

// dst0 and then dst1, of src0 = 1, 2, ... and src1 = 11, 12, ...
std::vector<uint16_t> interleaved(int cols) {
    Instruction instruction(Opcode::kTINTERLEAVE);
    Tile tile = make_tile(Space::kUB, DType::kU16, 1, 16);
    tile.valid_cols = cols;
    for (int i = 0; i < 4; ++i) instruction.add(tile);
    Problem problem;
    REQUIRE(check_legality(instruction, Arch::kA5, problem));
    std::vector<uint16_t> rows[4];
    for (auto& row : rows) row.resize(16);
    for (int i = 0; i < cols; ++i) {
        rows[3][static_cast<size_t>(i)] = static_cast<uint16_t>(1 + i);
        rows[2][static_cast<size_t>(i)] = static_cast<uint16_t>(11 + i);
    }
    Execution execution{instruction, {}, Numerics::kIEEE};
    for (unsigned i = 0; i < 4; ++i) execution.bytes[i] = reinterpret_cast<std::byte*>(&rows[i][0]);
    info(Opcode::kTINTERLEAVE).semantics(execution);
    std::vector<uint16_t> result(rows[1].begin(), rows[1].begin() + cols);
    result.insert(result.end(), rows[0].begin(), rows[0].begin() + cols);
    return result;
}

}  // namespace

TEST_CASE("lanes of two rows in turn") {
    CHECK(interleaved(4) == std::vector<uint16_t>{1, 11, 2, 12, 3, 13, 4, 14});
    CHECK(interleaved(3) == std::vector<uint16_t>{1, 11, 2, 2, 12, 3});
}
