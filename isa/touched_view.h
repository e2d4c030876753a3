// The part of a view in global memory that an instruction reads or writes.
#pragma once

#include "isa/instruction.h"

namespace ptosim {

// What a transfer touches of its view: all of it, but for lines in UB that are shorter than the
// view's, and for the first rows that the tile of a load takes of more.
GlobalView touched_view(const Instruction& instruction, unsigned operand);

}  // namespace ptosim
