// The rules of gathers and scatters that rows of isa/instructions/gather.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

extern const LegalityRule gather_indices, gather_layouts, gather_blocks;

}  // namespace ptosim::rules

namespace ptosim::rows {

void gather_form(const WrittenOperation&);
void scatter_form(const WrittenOperation&);

}  // namespace ptosim::rows
