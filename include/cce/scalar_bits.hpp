// Scalar instructions on bits and numbers (asc-devkit docs/zh/api/SIMD-API: scalar computation).
#pragma once

#include <math.h>
#include <stdint.h>

// The positions of the lowest 1 and the lowest 0; -1 without one.
inline int64_t sff1(uint64_t value) { return value == 0 ? -1 : __builtin_ctzll(value); }
inline int64_t sff0(uint64_t value) { return sff1(~value); }
inline int64_t bcnt1(uint64_t value) { return __builtin_popcountll(value); }
inline int64_t bcnt0(uint64_t value) { return 64 - bcnt1(value); }
inline int64_t clz(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
// Bits after the sign that equal it; -1 if all do.
inline int64_t sflbits(int64_t value) {
    return value == 0 || value == -1 ? -1 : __builtin_clrsbll(value);
}

// ---- conversions with a rounding ------------------------------------------------------------------
namespace pto::ptosim_detail {
// The nearest integer, clamped; 0 of NaN.
inline int64_t clamped_s32(float value) {
    if (!(value == value)) return 0;
    if (value >= 2147483648.0f) return INT32_MAX;
    if (value < -2147483648.0f) return INT32_MIN;
    return static_cast<int64_t>(value);
}
}  // namespace pto::ptosim_detail
// r: to even, a: away from zero, f: down, c: up, z: towards zero.
inline int64_t conv_f322s32r(float value) {
    return pto::ptosim_detail::clamped_s32(__builtin_roundevenf(value));
}
inline int64_t conv_f322s32a(float value) {
    return pto::ptosim_detail::clamped_s32(roundf(value));
}
inline int64_t conv_f322s32f(float value) {
    return pto::ptosim_detail::clamped_s32(floorf(value));
}
inline int64_t conv_f322s32c(float value) { return pto::ptosim_detail::clamped_s32(ceilf(value)); }
inline int64_t conv_f322s32z(float value) {
    return pto::ptosim_detail::clamped_s32(truncf(value));
}
// To odd: an inexact result has its last bit set.
inline half conv_f322f16o(float value) {
    half rounded = static_cast<half>(value);
    if (static_cast<float>(rounded) == value || !(value == value)) return rounded;
    uint16_t bits = __builtin_bit_cast(uint16_t, rounded);
    const bool outward = __builtin_fabsf(static_cast<float>(rounded)) > __builtin_fabsf(value);
    if (outward) --bits;
    return __builtin_bit_cast(half, static_cast<uint16_t>(bits | 1));
}
