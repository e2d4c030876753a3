// The rules of reductions that rows of isa/instructions/reduce.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rows {

extern const AssemblerScratch kRowReduceScratch, kColumnSumScratch;
void column_sum_form(const WrittenOperation&);

}  // namespace ptosim::rows
