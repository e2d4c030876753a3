// For tests: operands and instructions in few words.
#pragma once

#include <initializer_list>

#include "isa/core/instruction.h"

namespace ptosim {

inline Tile ub(DType type, int rows, int cols) { return make_tile(Space::kUB, type, rows, cols); }

inline Tile valid(Tile tile, int rows, int cols) {
    tile.valid_rows = rows;
    tile.valid_cols = cols;
    return tile;
}

inline GlobalView view(DType type, int rows, int cols) {
    GlobalView result;
    result.dtype = type;
    result.shape[3] = rows;
    result.shape[4] = cols;
    result.stride[3] = cols;
    return result;
}

inline Instruction make(Opcode opcode, std::initializer_list<Operand> operands) {
    Instruction instruction(opcode);
    for (const Operand& operand : operands) instruction.add(operand);
    return instruction;
}

// With the attributes that `change` sets.
template <typename F>
Instruction with(Instruction instruction, F&& change) {
    change(instruction.attributes);
    return instruction;
}

}  // namespace ptosim
