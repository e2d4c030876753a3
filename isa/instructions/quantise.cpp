// Quantisation to 8 and 4 bits, and back; to MX floats: quantise_mx.cpp.
#include "isa/instructions/quantise_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/undefined_behaviour.h"

namespace ptosim::semantics {

void TQUANT_MX(const Execution& e);  // quantise_mx.cpp

namespace {

// A parameter tile has one value per row; further columns are used if it has any.
float parameter(const Tile& tile, const std::byte* base, int row, int col) {
    return read_lane<float>(tile, base, std::min(row, tile.valid_rows - 1),
                            std::min(col, tile.valid_cols - 1));
}

bool given(const Execution& e, unsigned i) {
    return i < e.instruction.operand_count && e.instruction.operands[i].is_tile();
}

// For TQUANT, the scale or offset (operand `i`) of an element. a2a3 reads row-major ones in the order of the tile
// library: with scratch they form a column, for any layout; without scratch, each row has a block of 32 bytes, whose
// lanes apply to all blocks of the row (hw-native-sys/pto-isa include/pto/npu/a2a3/TRowExpandBinOp.hpp).
float factor(const Execution& e, unsigned i, int row, int col) {
    const Tile& tile = e.tile(i);
    if (e.numerics != Numerics::kA2A3 || tile.boxed() || tile.outer != OuterLayout::kRowMajor)
        return parameter(tile, e.bytes[i], row, 0);
    constexpr int64_t kBlock = 32 / sizeof(float);
    const int64_t count = int64_t{tile.rows} * tile.cols;
    const int64_t at = given(e, 4) ? row : row * kBlock + col % kBlock;
    const Tile line = run_of(tile, static_cast<int32_t>(count));
    return read_lane<float>(line, e.bytes[i], 0, static_cast<int>(std::min(at, count - 1)));
}

}  // namespace

// Operands (dst, src, fp, [offset], [tmp]). dst = src * scale (+ offset), each step in f32, then to
// the nearest integer and into the range of dst
// (hw-native-sys/pto-isa docs/isa/TQUANT.md, INT8_SYM and INT8_ASYM).
void TQUANT(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    for (int row = 0; row < to.valid_rows; ++row)
        for (int col = 0; col < to.valid_cols; ++col) {
            float value = mul(read_lane<float>(from, e.bytes[1], row, col), factor(e, 2, row, col));
            if (given(e, 3)) value = add(value, factor(e, 3, row, col));
            const uint64_t raw = convert_bits(to.dtype, DType::kF32, std::bit_cast<uint32_t>(value),
                                              RoundMode::kRint, Saturation::kOn);
            write_lane(to, e.bytes[0], row, col, static_cast<uint8_t>(raw));
        }
}

// dst = (src - offset) * scale in f32.
void TDEQUANT(const Execution& e) {
    const Tile& to = e.tile(0);
    visit_integer(e.tile(1).dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < to.valid_rows; ++row)
            for (int col = 0; col < to.valid_cols; ++col) {
                const auto value =
                    static_cast<float>(read_lane<T>(e.tile(1), e.bytes[1], row, col));
                const float offset = parameter(e.tile(3), e.bytes[3], row, col);
                const float scale = parameter(e.tile(2), e.bytes[2], row, col);
                write_lane(to, e.bytes[0], row, col, mul(sub(value, offset), scale));
            }
    });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// Along rows, the maxima and factors of a quantisation to MX are contiguous, and so are its exponents in a tile of one
// row.
bool follows_on(const Instruction& instruction, unsigned operand) {
    if (instruction.attributes.group_rows) return false;
    if (operand == 2) return instruction.tile(2).rows == 1 && !instruction.attributes.interleave;
    return operand == 3 || operand == 4;
}

TouchedTiles touched_by_mx(const Instruction& instruction, unsigned operand) {
    const Tile& tile = instruction.tile(operand);
    const Tile& quantised = instruction.tile(1);
    if (!follows_on(instruction, operand)) return {{tile}, 1};
    return {{run_of(tile, quantised.valid_rows * mx_groups(quantised.valid_cols))}, 1};
}

// Layouts and rounding that no document fixes, or that documents differ about.
void check_mx(ImplementationDefinedCheck& check) {
    const Instruction& instruction = check.execution().instruction;
    if (instruction.operand_count > 5 && instruction.operands[5].present())
        check.always("P03", 5, " has exponents in an order that no document fixes",
                     "exponent-boxes");
    check.always("N09", 0,
                 " is rounded to nearest even, and documents speak of stochastic rounding",
                 "mx-quantisation-rounds");
}

// hw-native-sys/pto-isa docs/isa/TQUANT.md: "tmp".
uint64_t scratch_of_quantisation(const Instruction& instruction) {
    const Tile& src = instruction.tile(1);
    return bytes(src.dtype, static_cast<size_t>(int64_t{src.valid_rows} * src.valid_cols));
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/quantise.def"
}  // namespace ptosim::rows
