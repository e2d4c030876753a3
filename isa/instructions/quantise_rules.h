// The rules of quantisation that rows of isa/instructions/quantise.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

extern const LegalityRule quantised, dequantised, mx_quantised;

}  // namespace ptosim::rules

namespace ptosim::rows {

void quantise_mx_form(const WrittenOperation&);
void quantise_form(const WrittenOperation&);
extern const AssemblerScratch kQuantiseScratch;

}  // namespace ptosim::rows
