// The rules of remainders and powers that rows of isa/instructions/remainder.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rows {

void power_form(const WrittenOperation&);
void remainder_form(const WrittenOperation&);
extern const AssemblerScratch kPowerScratch, kRemainderScratch, kRemainderScalarScratch;

}  // namespace ptosim::rows
