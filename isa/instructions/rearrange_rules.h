// The rules of transpositions, concatenation and padding that rows of
// isa/instructions/rearrange.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

extern const LegalityRule transposed, side_by_side, fill_pad;

}  // namespace ptosim::rules

namespace ptosim::rows {

void fill_pad_form(const WrittenOperation&);
extern const AssemblerScratch kTransposeScratch;
void transposition_form(const WrittenOperation&);

}  // namespace ptosim::rows
