// The rules of quantisation that rows of isa/instructions/quantise.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim {

// Elements that share an exponent in MX formats.
inline constexpr int32_t kMxGroup = 32;

// Groups in a line of `length` elements; the last one may have fewer elements.
constexpr int32_t mx_groups(int32_t length) { return (length + kMxGroup - 1) / kMxGroup; }

}  // namespace ptosim

namespace ptosim::rules {

extern const LegalityRule quantised, dequantised, mx_quantised;

}  // namespace ptosim::rules

namespace ptosim::rows {

void quantise_mx_form(const WrittenOperation&);
void quantise_form(const WrittenOperation&);
extern const AssemblerScratch kQuantiseScratch;

}  // namespace ptosim::rows
