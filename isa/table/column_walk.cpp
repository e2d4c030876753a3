#include "isa/table/column_walk.h"

#include <algorithm>

#include "isa/table/instruction_traits.h"

namespace ptosim {

namespace {

bool is_column(const Tile& tile) {
    return !tile.boxed() && tile.outer == OuterLayout::kColMajor && tile.cols == 1;
}

}  // namespace

// hw-native-sys/pto-isa include/pto/npu/a2a3/TBinSOp.hpp, TBinSInstr. If the types state that all columns are valid,
// both tiles are one run of elements. Else rows are repeats, whose distance is that of rows in blocks of 32 bytes: 0
// for a column. From 256 rows on these begin elsewhere.
ColumnWalk column_walk(const Instruction& declared, Arch arch) {
    constexpr int32_t kMostRepeats = 255;
    if (!traits(declared.opcode).walks_columns ||
        traits_of(arch).vector_operands != VectorOperands::kMemory || declared.operand_count < 2 ||
        !declared.operands[0].is_tile() || !declared.operands[1].is_tile())
        return ColumnWalk::kNone;
    const Tile &dst = declared.tile(0), &src = declared.tile(1);
    if (!is_column(dst) || !is_column(src)) return ColumnWalk::kNone;
    if (dst.valid_cols == 1 && src.valid_cols == 1) return ColumnWalk::kElements;
    if (dst.valid_cols >= 0 && src.valid_cols >= 0) return ColumnWalk::kNone;
    return std::max(dst.rows, src.rows) <= kMostRepeats ? ColumnWalk::kFirst : ColumnWalk::kNone;
}

void walk_columns(Instruction& instruction, ColumnWalk walk) {
    if (walk == ColumnWalk::kNone) return;
    for (unsigned i = 0; i < 2; ++i) {
        Tile& tile = instruction.operands[i].tile;
        const int32_t valid = tile.valid_rows * tile.valid_cols;
        tile.outer = OuterLayout::kRowMajor;
        tile.cols = tile.pitch = tile.rows;
        tile.rows = 1;
        tile.valid_rows = std::min(valid, 1);
        tile.valid_cols = walk == ColumnWalk::kFirst ? tile.valid_rows : valid;
    }
}

}  // namespace ptosim
