// The number types of device code: half, bfloat16_t, and the formats of 8 and 4 bits.
//
// They hold bits and convert, rounding to nearest even; tile instructions compute. Scalar code
// computes in float: its precision is more than twice that of the 16-bit types, so a sum, product
// or quotient that is rounded once more is still the correctly rounded one.
#pragma once

#include <stdint.h>

#include <type_traits>

#include "cce/opaque.hpp"

namespace pto::ptosim_detail {

// `value` shifted right by `shift` bits, rounded to nearest even.
constexpr uint64_t shift_right_rounded(uint64_t value, unsigned shift) {
    if (shift == 0) return value;
    if (shift > 63) return 0;
    const uint64_t kept = value >> shift;
    const uint64_t rest = value & ((uint64_t{1} << shift) - 1);
    const uint64_t half_way = uint64_t{1} << (shift - 1);
    return kept + (rest > half_way || (rest == half_way && (kept & 1)) ? 1 : 0);
}

// The bits of `value` in a format of 1 sign bit, Exponent_ and Mantissa_ bits. Finite_: the largest
// exponent holds numbers too, all ones are NaN and there is no infinity (OCP e4m3); otherwise as in
// IEEE 754.
template <unsigned Exponent_, unsigned Mantissa_, bool Finite_>
constexpr uint32_t narrow(double value) {
    constexpr int kBias = (1 << (Exponent_ - 1)) - 1;
    constexpr uint32_t kMagnitude = (1u << (Exponent_ + Mantissa_)) - 1;
    constexpr uint32_t kTop = ((1u << Exponent_) - 1) << Mantissa_;
    constexpr uint32_t kOverflow = Finite_ ? kMagnitude : kTop;
    constexpr uint32_t kNan = Finite_ ? kMagnitude : kTop | (1u << (Mantissa_ - 1));
    const uint64_t bits = __builtin_bit_cast(uint64_t, value);
    const uint32_t sign = static_cast<uint32_t>(bits >> 63) << (Exponent_ + Mantissa_);
    const uint64_t magnitude = bits & 0x7fffffffffffffffu;
    if (magnitude > 0x7ff0000000000000u) return sign | kNan;
    const int exponent = static_cast<int>(magnitude >> 52) - 1023 + kBias;
    if (exponent > static_cast<int>(1u << Exponent_)) return sign | kOverflow;
    const uint64_t fraction = magnitude & 0xfffffffffffffu;
    uint64_t rounded = 0;
    if (exponent > 0) {
        rounded =
            shift_right_rounded((static_cast<uint64_t>(exponent) << 52) | fraction, 52 - Mantissa_);
    } else {
        rounded = shift_right_rounded(fraction | 0x10000000000000u,
                                      static_cast<unsigned>(53 - exponent) - Mantissa_);
    }
    return sign | (rounded < kOverflow ? static_cast<uint32_t>(rounded) : kOverflow);
}

// The value of such bits. Exact.
template <unsigned Exponent_, unsigned Mantissa_, bool Finite_>
constexpr float widen(uint32_t bits) {
    constexpr int kBias = (1 << (Exponent_ - 1)) - 1;
    constexpr uint32_t kMagnitude = (1u << (Exponent_ + Mantissa_)) - 1;
    const uint32_t sign = (bits >> (Exponent_ + Mantissa_)) << 31;
    const uint32_t magnitude = bits & kMagnitude;
    const uint32_t exponent = magnitude >> Mantissa_;
    const uint32_t fraction = magnitude & ((1u << Mantissa_) - 1);
    const bool special = Finite_ ? magnitude == kMagnitude : exponent == (1u << Exponent_) - 1;
    if (special) {
        return __builtin_bit_cast(float, sign | 0x7f800000u | (fraction << (23 - Mantissa_)));
    }
    if (exponent == 0) {
        const float unit = __builtin_bit_cast(
            float, Exponent_ == 8 ? 1u << (23 - Mantissa_)
                                  : static_cast<uint32_t>(128 - kBias - int(Mantissa_)) << 23);
        return (sign != 0 ? -1.0f : 1.0f) * (static_cast<float>(fraction) * unit);
    }
    const uint32_t rebiased = exponent + static_cast<uint32_t>(127 - kBias);
    return __builtin_bit_cast(float, sign | (rebiased << 23) | (fraction << (23 - Mantissa_)));
}

template <class Storage, unsigned Exponent_, unsigned Mantissa_, bool Finite_ = false>
struct Float {
    Storage bits;

    Float() = default;
    template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
    constexpr Float(Number value)  // NOLINT: implicit, like the built-in types
        : bits(static_cast<Storage>(
              narrow<Exponent_, Mantissa_, Finite_>(static_cast<double>(value)))) {}
    template <class S_, unsigned E_, unsigned M_, bool F_>
    constexpr explicit Float(Float<S_, E_, M_, F_> value) : Float(static_cast<float>(value)) {}
    constexpr operator float() const {
        return widen<Exponent_, Mantissa_, Finite_>(bits);
    }  // NOLINT

    constexpr Float& operator+=(float other) { return *this = Float(float(*this) + other); }
    constexpr Float& operator-=(float other) { return *this = Float(float(*this) - other); }
    constexpr Float& operator*=(float other) { return *this = Float(float(*this) * other); }
    constexpr Float& operator/=(float other) { return *this = Float(float(*this) / other); }
};

}  // namespace pto::ptosim_detail

using half = pto::ptosim_detail::Float<uint16_t, 5, 10>;
using bfloat16_t = pto::ptosim_detail::Float<uint16_t, 8, 7>;

namespace pto {
namespace ptosim_types {
using float8_e4m3_t = ptosim_detail::Float<uint8_t, 4, 3, true>;
using float8_e5m2_t = ptosim_detail::Float<uint8_t, 5, 2>;
using float8_e8m0_t = ptosim_detail::Opaque8<0>;
using hifloat8_t = ptosim_detail::Opaque8<1>;
// Two numbers of 4 bits, the first one in the low nibble.
using float4_e2m1x2_t = ptosim_detail::Opaque8<2>;
using float4_e1m2x2_t = ptosim_detail::Opaque8<3>;
}  // namespace ptosim_types
using namespace ptosim_types;
}  // namespace pto

// Compilers for dav-2201 lack the types of 8 and 4 bits, so sources for it may define them before they include the library.
// A using-directive allows that; a using-declaration would not.
using namespace pto::ptosim_types;
using float16_t = half;
using float32_t = float;
#define __fp16 half

namespace pto {

// A signed number of 4 bits in a byte; in a tile two of them share one.
struct int4b_t {
    uint8_t storage;
    int4b_t() = default;
    constexpr explicit int4b_t(int32_t value) : storage(static_cast<uint8_t>(value & 0xf)) {}
    constexpr operator int8_t() const {  // NOLINT
        return static_cast<int8_t>(storage >= 8 ? storage - 16 : storage);
    }
};

}  // namespace pto
