// Runs of f16 lanes to f32 and back, with the host's conversion instructions where it has them.
#pragma once

#include "isa/numeric/floats.h"

namespace ptosim {

// The values, exactly. A NaN stays some NaN: for arithmetic whose results are made canonical.
void widen(const Half* from, float* to, int count);
// The same for lines of kHalfLine lanes, with pitches in lanes.
inline constexpr int kHalfLine = 16;
void widen_lines(const Half* from, int64_t from_pitch, float* to, int64_t to_pitch, int lines);
// round_to_half() of each value.
void narrow(const float* from, Half* to, int count);

enum class HalfOperation : uint8_t { kAdd, kSub, kMul, kDiv };
// How compute() goes about it; each host has those up to kHostHalfArithmetic.
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

}  // namespace ptosim
