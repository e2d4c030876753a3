// The rules of conversions that rows of isa/instructions/convert.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

extern const LegalityRule conversion_pair, packed_widths;

}  // namespace ptosim::rules

namespace ptosim::rows {

void convert_form(const WrittenOperation&);
extern const AssemblerScratch kConvertScratch;

}  // namespace ptosim::rows
