// Lanes of two tiles in turn.
#include "isa/instructions/row.h"
#include "isa/semantics/arithmetic.h"

namespace ptosim::semantics {

// Operands (dst1, dst0, src1, src0). The lanes of src0 and src1 alternate, src0 first: dst0 takes
// the first halves of the rows, dst1 the second ones
// (hw-native-sys/pto-isa docs/isa/TINTERLEAVE.md). Of rows of an odd length, both have the middle.
void TINTERLEAVE(const Execution& e) {
    const Tile& shape = e.tile(1);
    const int half = shape.valid_cols / 2;
    visit_bits(shape.dtype, [&](auto type) {
        using T = decltype(type);
        for (unsigned target : {1u, 0u})
            for (int row = 0; row < shape.valid_rows; ++row)
                for (int col = 0; col < shape.valid_cols; ++col) {
                    const unsigned source = col % 2 == 0 ? 3 : 2;
                    write_lane(e.tile(target), e.bytes[target], row, col,
                               read_lane<T>(e.tile(source), e.bytes[source], row,
                                            col / 2 + (target == 0 ? half : 0)));
                }
    });
}

// The inverse: dst0 takes the even lanes of src0 and then of src1, dst1 the odd ones. With one
// source (twice as wide), dst0 and dst1 take its even and odd lanes.
void TDEINTERLEAVE(const Execution& e) {
    const Tile& shape = e.tile(1);
    const bool one_source = e.instruction.operand_count < 4 || !e.instruction.operands[3].present();
    const int half = one_source ? shape.valid_cols : shape.valid_cols / 2;
    visit_bits(shape.dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < shape.valid_rows; ++row)
            for (int col = 0; col < shape.valid_cols; ++col) {
                const unsigned source = one_source || col >= half ? 2 : 3;
                const int pair = 2 * (col % half);
                write_lane(e.tile(1), e.bytes[1], row, col,
                           read_lane<T>(e.tile(source), e.bytes[source], row, pair));
                write_lane(e.tile(0), e.bytes[0], row, col,
                           read_lane<T>(e.tile(source), e.bytes[source], row, pair + 1));
            }
    });
}

}  // namespace ptosim::semantics

namespace ptosim::rules {

namespace {

bool check_interleaved(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                       Problem& problem) {
    const Tile& dst = instruction.tile(1);
    const bool one_source = !given(instruction, 3);
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (!instruction.operands[i].is_tile()) continue;
        const Tile& tile = instruction.tile(i);
        const int cols = one_source && i == 2 ? 2 * dst.valid_cols : dst.valid_cols;
        if (tile.valid_rows != dst.valid_rows || tile.valid_cols != cols)
            return wrong_valid(problem, row, "S04", i, tile, shape_text(dst.valid_rows, cols));
    }
    const bool anywhere = traits_of(arch).interleaves_odd && row.opcode == Opcode::kTINTERLEAVE;
    if (one_source || anywhere || dst.valid_cols % 2 == 0) return true;
    return wrong_valid(problem, row, "S04", 1, dst, "an even number of columns");
}

constexpr LegalityRule interleaved{
    "interleaved", "S04",
    "all tiles have one valid region with an even number of columns (a5's TINTERLEAVE: any "
    "number); one source alone is twice as wide",
    &check_interleaved};

}  // namespace

}  // namespace ptosim::rules

namespace ptosim::rows {
#include "isa/instructions/interleave.def"
}  // namespace ptosim::rows
