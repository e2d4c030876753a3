// Basic arithmetic of the `ieee` profile: IEEE 754 to nearest even, canonical NaN out, minimum and
// maximum that skip a NaN, exact remainders. One rounding each, also for Half and BFloat16.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "isa/numeric/floats.h"

namespace ptosim {

inline float add(float a, float b) { return canonical(a + b); }
inline float sub(float a, float b) { return canonical(a - b); }
inline float mul(float a, float b) { return canonical(a * b); }
// a * b + c, rounded once. Compile with hardware FMA where speed matters; the bits are the same.
inline float fma(float a, float b, float c) { return canonical(std::fma(a, b, c)); }

// Sums and products of 16-bit floats computed in float and rounded again are still the correctly
// rounded ones: a float has more than 2p + 2 bits (Figueroa), and where it is subnormal (bf16) the
// sum is exact and the product keeps enough bits.
inline Half add(Half a, Half b) { return round_to_half(to_float(a) + to_float(b)); }
inline Half sub(Half a, Half b) { return round_to_half(to_float(a) - to_float(b)); }
inline Half mul(Half a, Half b) { return round_to_half(to_float(a) * to_float(b)); }
inline BFloat16 add(BFloat16 a, BFloat16 b) { return round_to_bfloat16(to_float(a) + to_float(b)); }
inline BFloat16 sub(BFloat16 a, BFloat16 b) { return round_to_bfloat16(to_float(a) - to_float(b)); }
inline BFloat16 mul(BFloat16 a, BFloat16 b) { return round_to_bfloat16(to_float(a) * to_float(b)); }
Half fma(Half a, Half b, Half c);
BFloat16 fma(BFloat16 a, BFloat16 b, BFloat16 c);

// One NaN: the other operand. Two NaN: the canonical NaN. -0 counts as less than +0
// (PTO-ISA/pto-spec asl/arch/features/minmax-profile.asl; IEEE 754-2019 minimumNumber).
inline float min_num(float a, float b) {
    // Equal operands differ at most in the sign of zero: the union of the bits has it.
    const uint32_t both = std::bit_cast<uint32_t>(a) | std::bit_cast<uint32_t>(b);
    float least = a < b ? a : b;
    least = a == b ? std::bit_cast<float>(both) : least;
    least = b != b ? a : least;
    return canonical(a != a ? b : least);
}
inline float max_num(float a, float b) {
    const uint32_t both = std::bit_cast<uint32_t>(a) & std::bit_cast<uint32_t>(b);
    float most = a > b ? a : b;
    most = a == b ? std::bit_cast<float>(both) : most;
    most = b != b ? a : most;
    return canonical(a != a ? b : most);
}
inline Half min_num(Half a, Half b) { return round_to_half(min_num(to_float(a), to_float(b))); }
inline Half max_num(Half a, Half b) { return round_to_half(max_num(to_float(a), to_float(b))); }
inline BFloat16 min_num(BFloat16 a, BFloat16 b) {
    return round_to_bfloat16(min_num(to_float(a), to_float(b)));
}
inline BFloat16 max_num(BFloat16 a, BFloat16 b) {
    return round_to_bfloat16(max_num(to_float(a), to_float(b)));
}

// a - trunc(a / b) * b, exactly, with the sign of a (C's fmod). NaN if a is infinite, b is zero or
// either is NaN; a if b is infinite.
float fmod_exact(float a, float b);
Half fmod_exact(Half a, Half b);
BFloat16 fmod_exact(BFloat16 a, BFloat16 b);

// a - floor(a / b) * b rounded once, with the sign of b (TREM; Python's %). As fmod otherwise, so
// that a zero result has the sign of b, and an infinite b of the other sign gives b.
float remainder_floor(float a, float b);
Half remainder_floor(Half a, Half b);
BFloat16 remainder_floor(BFloat16 a, BFloat16 b);

}  // namespace ptosim
