// The rules of fused operations that rows of isa/instructions/fused.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

extern const LegalityRule axpy_types, relu_conversion, dequantised_sum, pair_sum_shapes;

}  // namespace ptosim::rules

namespace ptosim::rows {

void add_relu_form(const WrittenOperation&);
void axpy_form(const WrittenOperation&);
void leaky_form(const WrittenOperation&);
extern const AssemblerScratch kPreluScratch;

}  // namespace ptosim::rows
