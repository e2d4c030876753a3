// The rules of gathers and scatters between a tile and global memory that rows of
// isa/instructions/gather_memory.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

extern const LegalityRule memory_indices;

}  // namespace ptosim::rules

namespace ptosim::rows {

void memory_gather_form(const WrittenOperation&);
void memory_scatter_form(const WrittenOperation&);

}  // namespace ptosim::rows
