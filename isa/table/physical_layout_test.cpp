// Pitches by hand from the formulas of hw-native-sys/pto-isa: mad takes m, k and n in whole boxes; a
// move or store takes Rows (Cols) of a tile, or of a compact one its valid rows (columns).
#include "isa/table/physical_layout.h"

#include "isa/testing/test_operands.h"
#include "isa/testing/trait_expectations.h"

using namespace ptosim;

namespace {

using enum DType;
constexpr auto kCol = OuterLayout::kColMajor;
constexpr auto kRow = OuterLayout::kRowMajor;
constexpr auto kBoxRow = InnerLayout::kRowMajor;
constexpr auto kBoxCol = InnerLayout::kColMajor;

Tile left_a2a3() { return valid(make_tile(Space::kL0A, kF16, 64, 64, kRow, kBoxRow), 20, 40); }
Tile left_a5() { return valid(make_tile(Space::kL0A, kF16, 64, 64, kCol, kBoxRow), 20, 40); }
Tile right() { return valid(make_tile(Space::kL0B, kF16, 64, 128, kRow, kBoxCol), 40, 70); }
Tile accumulator() {
    return valid(make_tile(Space::kL0C, kF32, 128, 128, kCol, kBoxRow, 1024), 50, 100);
}
Tile compact(Tile tile) {
    tile.compact = Compact::kNormal;
    return tile;
}
Tile boxes(DType type) { return make_tile(Space::kL1, type, 64, 64, kCol, kBoxRow); }
Tile turned_boxes(DType type) { return make_tile(Space::kL1, type, 64, 64, kRow, kBoxCol); }
Scalar index(int value) { return {static_cast<uint64_t>(value), kI64}; }

// "16 48 64": of each tile.
std::string pitches(const Instruction& instruction, Arch arch) {
    std::string text;
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_tile())
            text += (text.empty() ? "" : " ") + std::to_string(used_pitch(instruction, i, arch));
    return text;
}
TraitExpectation uses(Instruction instruction, Arch arch, std::string shown) {
    return {instruction.opcode, std::move(shown), [=] { return pitches(instruction, arch); }};
}
// 20 rows are two boxes, 40 columns three, 70 columns five.
TraitExpectation product(Opcode opcode, bool accumulates) {
    std::vector<Operand> operands{accumulator()};
    if (accumulates) operands.emplace_back(accumulator());
    operands.emplace_back(left_a2a3());
    operands.emplace_back(right());
    Instruction instruction(opcode);
    for (const Operand& operand : operands) instruction.add(operand);
    return uses(instruction, Arch::kA2A3, accumulates ? "32 32 48 80" : "32 48 80");
}

}  // namespace

TEST_CASE("trait pitches: from which field an instruction derives the pitch of boxes") {
    const Instruction store = make(Opcode::kTSTORE, {view(kF32, 50, 100), compact(accumulator())});
    const Tile image = make_tile(Space::kL1, kF16, 64, 16);
    const Tile rows = valid(make_tile(Space::kUB, kF32, 64, 128), 50, 100);
    check_expectations(
        &InstructionTraits::pitches,
        {
            product(Opcode::kTMATMUL, false), product(Opcode::kTMATMUL_ACC, true),
            product(Opcode::kTMATMUL_BIAS, false), product(Opcode::kTGEMV, false),
            product(Opcode::kTGEMV_ACC, true), product(Opcode::kTGEMV_BIAS, false),
            product(Opcode::kTMATMUL_MX, false), product(Opcode::kTMATMUL_MX_ACC, true),
            product(Opcode::kTMATMUL_MX_BIAS, false), product(Opcode::kTGEMV_MX, false),
            product(Opcode::kTGEMV_MX_ACC, true), product(Opcode::kTGEMV_MX_BIAS, false),
            uses(store, Arch::kA2A3, "64"),
            uses(make(Opcode::kTMOV, {compact(left_a2a3()), boxes(kF16)}), Arch::kA2A3, "48 64"),
            uses(make(Opcode::kTMOV, {rows, compact(accumulator())}), Arch::kA5, "128 64"),
            uses(make(Opcode::kTEXTRACT, {compact(right()), boxes(kF16), index(0), index(0)}),
                 Arch::kA5, "80 64"),
            uses(make(Opcode::kTINSERT, {rows, accumulator(), index(0), index(0)}), Arch::kA5,
                 "128 64"),
            uses(make(Opcode::kTIMG2COL, {left_a2a3(), image, index(0), index(0)}), Arch::kA2A3,
                 "48 16"),
            // Turned bytes are always packed: whole boxes of 32 columns.
            uses(make(Opcode::kTMOV,
                      {valid(make_tile(Space::kL0A, kI8, 64, 128, kRow, kBoxRow), 64, 40),
                       turned_boxes(kI8)}),
                 Arch::kA2A3, "64 64"),
        });
}

TEST_CASE("a pitch from the shape") {
    const Instruction store = make(Opcode::kTSTORE, {view(kF32, 50, 100), accumulator()});
    CHECK(pitches(store, Arch::kA2A3) == "128");
    // a2a3 takes no notice of a compact accumulator here; a5 does not either where it makes boxes.
    const Instruction move = make(Opcode::kTMOV, {boxes(kF16), compact(accumulator())});
    CHECK(pitches(move, Arch::kA2A3) == "64 128");
    CHECK(pitches(move, Arch::kA5) == "64 128");
    CHECK(pitches(make(Opcode::kTMOV, {left_a5(), boxes(kF16)}), Arch::kA5) == "64 64");
    CHECK(pitches(make(Opcode::kTMOV, {compact(left_a5()), boxes(kF16)}), Arch::kA5) == "32 64");
}

TEST_CASE("one column of boxes has any pitch") {
    const Tile narrow = valid(accumulator(), 5, 16);
    Tile few = right();
    few.valid_cols = 16;
    CHECK(pitches(make(Opcode::kTMATMUL, {narrow, valid(left_a2a3(), 5, 40), few}), Arch::kA2A3) ==
          "128 64 16");
    // A vector has no boxes to be apart.
    const Tile vector = make_tile(Space::kL0A, kF16, 1, 256, kRow, kBoxRow);
    CHECK(used_pitch(make(Opcode::kTGEMV, {narrow, vector, few}), 1, Arch::kA2A3) == 256);
}
