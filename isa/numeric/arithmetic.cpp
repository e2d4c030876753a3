#include "isa/numeric/arithmetic.h"

#include <bit>
#include <cstdint>
#include <limits>

#include "isa/numeric/double_double.h"

namespace ptosim {
namespace {

// a * b + c rounded to odd in double: the product of two 16-bit floats is exact there.
double fma_to_odd(float a, float b, float c) {
    return detail::round_to_odd(
        {static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)});
}

struct Magnitude {
    uint32_t significand;
    int exponent;  // of the last place, counted from 2^-149
};

Magnitude magnitude(float value) {
    const uint32_t raw = std::bit_cast<uint32_t>(value) & 0x7FFFFFFFu;
    const auto field = static_cast<int>(raw >> 23);
    if (field == 0) return {raw, 0};
    return {(raw & 0x7FFFFFu) | 0x800000u, field - 1};
}

}  // namespace

Half fma(Half a, Half b, Half c) {
    return round_to_half(fma_to_odd(to_float(a), to_float(b), to_float(c)));
}

BFloat16 fma(BFloat16 a, BFloat16 b, BFloat16 c) {
    return round_to_bfloat16(fma_to_odd(to_float(a), to_float(b), to_float(c)));
}

float fmod_exact(float a, float b) {
    constexpr float kMax = std::numeric_limits<float>::max();
    if (!(std::fabs(a) <= kMax) || b == 0 || b != b) return std::bit_cast<float>(kCanonicalNanF32);
    if (std::fabs(a) < std::fabs(b)) return a;
    Magnitude rest = magnitude(a);
    const Magnitude divisor = magnitude(b);
    // Long division: the remainder has 24 bits, so 40 more fit at a time.
    uint64_t remainder = rest.significand % divisor.significand;
    for (int left = rest.exponent - divisor.exponent; left > 0; left -= 40) {
        remainder = (remainder << (left < 40 ? left : 40)) % divisor.significand;
    }
    // An integer below 2^24 times a power of two that is a float: both steps are exact.
    const float unit = std::bit_cast<float>(
        divisor.exponent < 23 ? uint32_t{1} << divisor.exponent
                              : static_cast<uint32_t>(divisor.exponent - 22) << 23);
    return std::copysign(static_cast<float>(remainder) * unit, a);
}

Half fmod_exact(Half a, Half b) { return round_to_half(fmod_exact(to_float(a), to_float(b))); }

BFloat16 fmod_exact(BFloat16 a, BFloat16 b) {
    return round_to_bfloat16(fmod_exact(to_float(a), to_float(b)));
}

float remainder_floor(float a, float b) {
    const float rest = fmod_exact(a, b);
    if (rest == 0) return std::copysign(0.0F, b);
    return (rest < 0) == (b < 0) ? rest : canonical(rest + b);
}

Half remainder_floor(Half a, Half b) {
    return round_to_half(remainder_floor(to_float(a), to_float(b)));
}

BFloat16 remainder_floor(BFloat16 a, BFloat16 b) {
    return round_to_bfloat16(remainder_floor(to_float(a), to_float(b)));
}

}  // namespace ptosim
