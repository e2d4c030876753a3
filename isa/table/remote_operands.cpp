#include "isa/table/remote_operands.h"

#include <algorithm>

#include "isa/numeric/round_up.h"
#include "isa/table/instruction_traits.h"

namespace ptosim {

uint8_t remote_cores_of(const Instruction& instruction, unsigned operand) {
    if (operand != 0 || info(instruction.opcode).pipe != PipeRule::kMove) return kOwnCore;
    const Space to = instruction.tile(0).space, from = instruction.tile(1).space;
    if (from == Space::kUB && to == Space::kL1) return kRemoteAic;
    if ((from != Space::kL0C && from != Space::kL1) || to != Space::kUB) return kOwnCore;
    switch (instruction.attributes.acc_to_vec) {
        case AccToVec::kSingle0:
            return kRemoteAiv0;
        case AccToVec::kSingle1:
            return kRemoteAiv1;
        case AccToVec::kDualSplitM:
        case AccToVec::kDualSplitN:
            break;
    }
    return kRemoteAiv0 | kRemoteAiv1;
}

bool is_dual_move(const Instruction& instruction) {
    return instruction.attributes.acc_to_vec >= AccToVec::kDualSplitM &&
           remote_cores_of(instruction, 0) == (kRemoteAiv0 | kRemoteAiv1);
}

int32_t dual_extent(const Instruction& dual) {
    const Tile& from = dual.tile(1);
    const bool rows = dual.attributes.acc_to_vec == AccToVec::kDualSplitM;
    const int32_t valid = rows ? from.valid_rows : from.valid_cols;
    if (traits(dual.opcode).dual_split != DualSplit::kBoxes || !dual.tile(0).boxed()) return valid;
    const int32_t unit = rows ? 16 : 32;
    return std::min(round_up(valid, unit), rows ? from.rows : from.cols);
}

std::array<Instruction, 2> split_dual_destination(const Instruction& dual) {
    std::array<Instruction, 2> halves{dual, dual};
    halves[0].attributes.acc_to_vec = AccToVec::kSingle0;
    halves[1].attributes.acc_to_vec = AccToVec::kSingle1;
    const bool rows = dual.attributes.acc_to_vec == AccToVec::kDualSplitM;
    if (traits(dual.opcode).dual_split == DualSplit::kWindows) {
        const Tile& to = dual.tile(0);
        halves[1].operands[rows ? 2 : 3].scalar.bits +=
            static_cast<uint64_t>(rows ? to.valid_rows : to.valid_cols);
        return halves;
    }
    const Tile& from = dual.tile(1);
    const int32_t part = dual_extent(dual) / 2;
    for (Instruction& half : halves) {
        Tile& source = half.operands[1].tile;
        (rows ? source.rows : source.cols) /= 2;
        (rows ? source.valid_rows : source.valid_cols) = part;
    }
    const int64_t first = rows ? from.index(part, 0) : from.index(0, part);
    halves[1].operands[1].tile.address +=
        static_cast<uint32_t>(bytes(from.dtype, static_cast<size_t>(first)));
    // Scales are one per column.
    for (unsigned i = 2; !rows && i < dual.operand_count; ++i)
        if (dual.operands[i].is_tile() && dual.tile(i).space == Space::kFixpipe)
            halves[1].operands[i].tile.address +=
                static_cast<uint32_t>(bytes(dual.tile(i).dtype, static_cast<size_t>(part)));
    return halves;
}

}  // namespace ptosim
