// Conversion of a run of elements by the rules of a numeric profile.
#pragma once

#include <cstddef>

#include "isa/core/execution.h"
#include "isa/numeric/convert.h"

namespace ptosim::semantics {

// True if floats become narrow integers by way of an integer of 32 bits, whose low bits are the result: where hardware
// profiles do not saturate. +inf becomes all ones, -inf and NaN 0 (profile rule "conversion-low-bits").
bool keeps_low_bits(Numerics numerics, DType to, DType from, Saturation saturation);

// True if each value of `from` is one of `to`: nothing can be out of range then.
bool holds_all(DType to, DType from);

// Like convert_run(), which documents `target` and `source`. f32 to f32 rounds to a whole number.
void convert_lanes(Numerics numerics, DType to, void* target, DType from, const void* source,
                   size_t count, RoundMode mode, Saturation saturation);

}  // namespace ptosim::semantics
