// The rules of reductions to positions that rows of isa/instructions/reduce_argument.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

extern const LegalityRule row_argument, column_argument;

}  // namespace ptosim::rules

namespace ptosim::rows {

void row_argument_form(const WrittenOperation&);
extern const AssemblerScratch kRowArgumentScratch, kColumnArgumentScratch;

}  // namespace ptosim::rows
