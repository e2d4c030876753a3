// Converts runs of f16 lanes to f32 and back, with the host's conversion instructions if it has them.
#pragma once

#include <bit>

#include "isa/numeric/floats.h"

namespace ptosim {

// The nearest value of f16: round_to_half() without its change of format.
inline float rounded_to_half(float value) {
    const uint32_t raw = std::bit_cast<uint32_t>(value);
    const uint32_t magnitude = raw & 0x7FFFFFFFu;
    const uint32_t even = (magnitude >> 13) & 1u;
    const uint32_t normal = (magnitude + 0x0FFFu + even) & ~0x1FFFu;
    const uint32_t subnormal =
        std::bit_cast<uint32_t>((std::bit_cast<float>(magnitude) + 0.5F) - 0.5F);
    uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
    result = magnitude >= 0x477FF000u ? 0x7F800000u : result;  // 65520 and more
    result = magnitude > 0x7F800000u ? kCanonicalNanF32 : result;
    return std::bit_cast<float>(result | (raw & 0x80000000u));
}

// The values, exactly. A NaN stays a NaN but need not be canonical: use it for arithmetic whose results are made
// canonical.
void widen(const Half* from, float* to, int count);
// Variants for lines of kHalfLine lanes, with pitches in lanes.
inline constexpr int kHalfLine = 16;
void widen_lines(const Half* from, int64_t from_pitch, float* to, int64_t to_pitch, int lines);
// round_to_half() of each value.
void narrow(const float* from, Half* to, int count);

enum class HalfOperation : uint8_t { kAdd, kSub, kMul, kDiv };
// Implementation of compute(); each host has all up to kHostHalfArithmetic.
enum class HalfArithmetic : uint8_t {
    kPlain,
    k256,   // AVX2 and F16C: as floats, rounded once more
    k512,   // the same with AVX-512
    kFp16,  // AVX512-FP16
};
extern const HalfArithmetic kHostHalfArithmetic;
// out[i] = a[i] operation b[i], each rounded once, with the canonical NaN: add(), sub(), mul() of
// arithmetic.h, and the quotient. `out` may be `a` or `b`.
void compute(HalfOperation operation, const Half* a, const Half* b, Half* out, int64_t count,
             HalfArithmetic how = kHostHalfArithmetic);

// sums[j] = sums[j] operation line[j], rounded to f16 each time, for one line of kHalfLine lanes after the other. The
// floats are values of f16; a NaN stays a NaN. kAdd and kMul only.
void fold_lines(HalfOperation operation, const Half* lines, int count, float* sums);

}  // namespace ptosim
