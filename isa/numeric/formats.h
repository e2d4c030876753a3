// The float formats as data, and the only definition of the meaning of their bits.
//
// These functions are plain and slow and define every encoding; convert.h has the fast paths.
#pragma once

#include <array>
#include <cstdint>

#include "isa/numeric/dtype.h"
#include "isa/numeric/rounding.h"

namespace ptosim {

// One row for each float DType. Exponents refer to the value written as 1.f * 2^e.
struct FloatFormat {
    DType type;
    uint8_t fraction_bits;  // at most; HiF8 has fewer away from 1
    uint8_t low_zero_bits;  // unused low bits of the carrier (tf32, hf32)
    int16_t min_exponent;   // of the smallest normal; below it the spacing stays the same
    bool has_sign;
    bool has_negative_zero;
    bool has_infinity;
    bool has_nan;
    uint64_t nan;          // the canonical NaN (pto-spec ADR-0048); 0 without one
    uint64_t infinity;     // the positive one; 0 without one
    uint64_t largest;      // the largest finite value, as bits
    double largest_value;  // ... and as a number
};

// Fields: IEEE 754 (f32, f16); OCP OFP8 1.0 (e4m3, e5m2); OCP MX 1.0 (e8m0, e2m1); PTO-ISA/pto-spec
// asl/arch/data-types/formats/*.asl (all of them; the only public source for hf32, e1m2).
// In the order of the enumeration.
inline constexpr std::array<FloatFormat, 11> kFloatFormats = {{
    // type, fraction, low zeros, min exponent, sign, -0, inf, nan, NaN, infinity, largest
    {DType::kF32, 23, 0, -126, true, true, true, true, 0x7FC00000, 0x7F800000, 0x7F7FFFFF,
     0x1.FFFFFEp127},
    {DType::kF16, 10, 0, -14, true, true, true, true, 0x7E00, 0x7C00, 0x7BFF, 65504},
    {DType::kBF16, 7, 0, -126, true, true, true, true, 0x7FC0, 0x7F80, 0x7F7F, 0x1.FEp127},
    {DType::kTF32, 10, 13, -126, true, true, true, true, 0x7FC00000, 0x7F800000, 0x7F7FE000,
     0x1.FFCp127},
    {DType::kHF32, 11, 12, -126, true, true, true, true, 0x7FC00000, 0x7F800000, 0x7F7FF000,
     0x1.FFEp127},
    {DType::kE4M3, 3, 0, -6, true, true, false, true, 0x7F, 0, 0x7E, 448},
    {DType::kE5M2, 2, 0, -14, true, true, true, true, 0x7E, 0x7C, 0x7B, 57344},
    {DType::kE8M0, 0, 0, -127, false, false, false, true, 0xFF, 0, 0xFE, 0x1p127},
    {DType::kHIF8, 3, 0, -22, true, false, true, true, 0x80, 0x6F, 0x6E, 32768},
    {DType::kE2M1, 1, 0, 0, true, true, false, false, 0, 0, 0x7, 6},
    {DType::kE1M2, 2, 0, 0, true, true, false, false, 0, 0, 0x7, 1.75},
}};

// Only for float types (an integer type is the caller's mistake: throws std::invalid_argument).
const FloatFormat& float_format(DType type);

// The value of the low bits(type) bits of `bits`, exactly; any NaN becomes a quiet NaN, infinities
// stay. The unused low bits of tf32 and hf32 are ignored. Float types only, as above.
double decode(DType type, uint64_t bits);

// decode() of all encodings of a float type of at most 8 bits, as floats (exact): 256 entries, 16 for fp4. Throws
// std::invalid_argument for other types. The table is never freed.
const float* decode_table(DType type);

// `value` rounded once to `type`; the upper bits of the result are 0. Float types only, as above.
//
// - Rounding is as IEEE 754 has it, subnormals included; ties-to-even and to-odd look at the last
//   bit of the encoding, which for HiF8 is the neighbour in order of magnitude.
// - Overflow: a result beyond `largest` becomes infinity (NaN without one) in the nearest modes and
//   when rounding away from zero, `largest` when rounding towards zero (IEEE 754-2019 7.4). To-odd
//   gives whichever of `largest` and its successor is odd. With saturation: always `largest`.
//   "Beyond" counts from the midpoint of `largest` and the value its successor would have
//   (OCP OFP8 5.2: e4m3 464 still is 448).
// - Infinity: infinity (NaN without one); `largest` with saturation.
// - NaN: the canonical NaN; +0 for fp4, which has none.
// - Fp4 has neither, so it always saturates.
// - -0 becomes 0 where there is one zero only (HiF8).
// - E8M0 rounds the exponent, not the value, so nearest goes up from sqrt(2) on and towards zero
//   means towards 2^0; zeros, negative values and NaN give NaN; above 2^127 and below 2^-127 give
//   NaN, with saturation the nearest end (pto-spec asl/arch/profile/e8m0-conversion.asl).
uint64_t encode(DType type, double value, RoundMode mode, Saturation saturation);

// The same for the exact value (negative ? -1 : 1) * significand * 2^exponent, which need not fit a double: 64-bit
// integers are also rounded only once.
uint64_t encode_exact(DType type, bool negative, uint64_t significand, int exponent, RoundMode mode,
                      Saturation saturation);

}  // namespace ptosim
