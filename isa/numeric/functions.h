// exp, log, sqrt, rsqrt, recip and division, correctly rounded to nearest even.
//
// Profile `ieee`: the result is the exact value rounded once, subnormals included, whatever the
// host (no libm); no finite-error rule is public for the hardware (pto-spec ADR-0091), and correct
// rounding is the one neutral choice. Any NaN result is the canonical NaN of the type.
//
//   exp(-inf) = +0, exp(+inf) = +inf, exp(+-0) = 1
//   log(+-0) = -inf, log(x < 0) = NaN, log(1) = +0, log(+inf) = +inf
//   sqrt(+-0) = +-0, sqrt(x < 0) = NaN, sqrt(+inf) = +inf
//   rsqrt(+-0) = +-inf, rsqrt(x < 0) = NaN, rsqrt(+inf) = +0   (IEEE 754-2019 9.2.1)
//   recip(+-0) = +-inf, recip(+-inf) = +-0
//   div: IEEE 754 (x/0 = +-inf, 0/0 = inf/inf = NaN)
//
// (PTO-ISA/pto-spec asl/tile/model/execution/unary.asl for the ones it names.)
#pragma once

#include <cstddef>

#include "isa/numeric/arithmetic.h"
#include "isa/numeric/floats.h"

namespace ptosim {

float exp_rn(float x);
Half exp_rn(Half x);
BFloat16 exp_rn(BFloat16 x);

float log_rn(float x);
Half log_rn(Half x);
BFloat16 log_rn(BFloat16 x);

float sqrt_rn(float x);
Half sqrt_rn(Half x);
BFloat16 sqrt_rn(BFloat16 x);

float rsqrt_rn(float x);
Half rsqrt_rn(Half x);
BFloat16 rsqrt_rn(BFloat16 x);

// recip_rn(x) = div_rn(1, x).
float recip_rn(float x);
Half recip_rn(Half x);
BFloat16 recip_rn(BFloat16 x);

float div_rn(float a, float b);
Half div_rn(Half a, Half b);
BFloat16 div_rn(BFloat16 a, BFloat16 b);

// x to the power y, IEEE 754-2019 9.2.1: pow(x, +-0) = pow(1, y) = 1 even for NaN; a negative x with a non-integer y
// gives NaN. Rounded from about 85 bits: a power within 2^-78, relatively, of the midpoint of two neighbours, but not
// equal to it, could be rounded the wrong way; none is known.
float pow_rn(float x, float y);
Half pow_rn(Half x, Half y);
BFloat16 pow_rn(BFloat16 x, BFloat16 y);

// Computes `count` elements, several times faster than a loop over the above. Source and target may be the same array,
// not overlap otherwise.
void exp_rn(const float* source, float* target, size_t count);
void log_rn(const float* source, float* target, size_t count);
void rsqrt_rn(const float* source, float* target, size_t count);

}  // namespace ptosim
