// The rules of broadcasts along rows and columns that rows of isa/instructions/expand.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

extern const LegalityRule row_expand, column_expand, row_expand_binary, column_expand_binary;

}  // namespace ptosim::rules

namespace ptosim::rows {

// Rules of TROWEXPAND; of TROWEXPANDSUB and MUL; of the others with a vector; of TROWEXPANDDIV.
void row_expand_form(const WrittenOperation&);
void row_expand_binary_form(const WrittenOperation&);
void row_expand_vector_form(const WrittenOperation&);
void row_expand_divide_form(const WrittenOperation&);
void column_expand_form(const WrittenOperation&);
void column_expand_binary_form(const WrittenOperation&);
extern const AssemblerScratch kExpandScratch, kExpandExpDifScratch;

}  // namespace ptosim::rows
