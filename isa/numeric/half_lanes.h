// Runs of f16 lanes to f32 and back, with the host's conversion instructions where it has them.
#pragma once

#include "isa/numeric/floats.h"

namespace ptosim {

// The values, exactly. A NaN stays some NaN: for arithmetic whose results are made canonical.
void widen(const Half* from, float* to, int count);
// The same for lines of kHalfLine lanes, with pitches in lanes.
inline constexpr int kHalfLine = 16;
void widen_lines(const Half* from, int64_t from_pitch, float* to, int64_t to_pitch, int lines);
// To nearest even; as round_to_half of each value, which must not be a NaN but the canonical one.
void narrow(const float* from, Half* to, int count);

}  // namespace ptosim
