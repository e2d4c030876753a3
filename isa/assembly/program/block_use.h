// Finds kernels that depend on the number of the block they run as.
#pragma once

#include "isa/assembly/program/program.h"

namespace ptosim::assembly {

// True if anything in the program reads the number of its block, or how many there are. One that does not does the same
// in every block, to the same bytes: it is meant for one.
bool asks_for_block(const Program& program);

}  // namespace ptosim::assembly
