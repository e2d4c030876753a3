// Runs of f16 lanes to f32 and back, with the host's conversion instructions where it has them.
#pragma once

#include "isa/numeric/floats.h"

namespace ptosim {

// The values, exactly. A NaN stays some NaN: for arithmetic whose results are made canonical.
void widen(const Half* from, float* to, int count);
// To nearest even; as round_to_half of each value, which must not be a NaN but the canonical one.
void narrow(const float* from, Half* to, int count);

}  // namespace ptosim
