// Behaviour of the tile library of a2a3 for a scalar operation on a column (a DN tile of one column), which its
// documents exclude. It depends on whether the type of a tile states its valid region, which only some front ends know;
// without that the instruction is illegal (L02).
#pragma once

#include <cstdint>

#include "isa/core/arch.h"
#include "isa/core/instruction.h"

namespace ptosim {

enum class ColumnWalk : uint8_t {
    kNone,      // the instruction takes row-major tiles
    kElements,  // the elements of the column, one after the other
    kFirst,     // rows of one element each, all of which lie in one block: the first element alone
};

// `declared`: tiles as their types have them, with extents below 0 where the type leaves them open.
ColumnWalk column_walk(const Instruction& declared, Arch arch);

// Turns the columns of an instruction into the row-major tiles that the tile library processes.
void walk_columns(Instruction& instruction, ColumnWalk walk);

}  // namespace ptosim
