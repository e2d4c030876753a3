// The 16-bit floats as C++ value types, with the conversions that hot loops need.
//
// All functions here are exact or round once, to nearest even, are free of branches (so that a loop
// over them vectorises) and give the canonical NaN of the target for every NaN: f32 7FC00000,
// f16 7E00, bf16 7FC0 (PTO-ISA/pto-spec ADR-0048). Overflow gives infinity, underflow is gradual.
// Other rounding modes and saturation are in convert.h.
#pragma once

#include <bit>
#include <cstdint>

namespace ptosim {

// IEEE 754 binary16, 1-5-10.
struct Half {
    uint16_t bits;
};

// The upper half of a binary32, 1-8-7.
struct BFloat16 {
    uint16_t bits;
};

constexpr uint32_t kCanonicalNanF32 = 0x7FC00000;
constexpr uint16_t kCanonicalNanF16 = 0x7E00;
constexpr uint16_t kCanonicalNanBF16 = 0x7FC0;

// The value, or the canonical NaN for any NaN.
constexpr float canonical(float value) {
    return value == value ? value : std::bit_cast<float>(kCanonicalNanF32);
}

constexpr bool is_nan(float value) { return value != value; }
constexpr bool is_nan(Half value) { return (value.bits & 0x7FFF) > 0x7C00; }
constexpr bool is_nan(BFloat16 value) { return (value.bits & 0x7FFF) > 0x7F80; }

// Exact.
constexpr float to_float(float value) { return value; }

// Exact.
constexpr float to_float(Half value) {
    const uint32_t sign = (value.bits & 0x8000u) << 16;
    const uint32_t magnitude = value.bits & 0x7FFFu;
    const uint32_t normal = (magnitude << 13) + (uint32_t{127 - 15} << 23);
    // A count of 2^-24, so an integer conversion normalises it.
    const uint32_t subnormal =
        std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24F);
    uint32_t result = (magnitude < 0x0400 ? subnormal : normal) | sign;
    result = magnitude == 0x7C00 ? (sign | 0x7F800000u) : result;
    return std::bit_cast<float>(magnitude > 0x7C00 ? kCanonicalNanF32 : result);
}

// Exact.
constexpr float to_float(BFloat16 value) {
    const uint32_t wide = uint32_t{value.bits} << 16;
    return std::bit_cast<float>((wide & 0x7FFFFFFFu) > 0x7F800000u ? kCanonicalNanF32 : wide);
}

constexpr float round_to_float(double value) {
    return value == value ? static_cast<float>(value) : std::bit_cast<float>(kCanonicalNanF32);
}

constexpr Half round_to_half(float value) {
    const uint32_t raw = std::bit_cast<uint32_t>(value);
    const uint32_t magnitude = raw & 0x7FFFFFFFu;
    const uint32_t sign = (raw >> 16) & 0x8000u;
    const uint32_t even = (magnitude >> 13) & 1u;
    const uint32_t normal = ((magnitude + 0x0FFFu + even) >> 13) - (uint32_t{127 - 15} << 10);
    // Below 2^-14 the unit is 2^-24, the last place of a float in [0.5, 1): the addition rounds.
    const uint32_t subnormal =
        std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000u;
    uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
    result = magnitude >= 0x477FF000u ? 0x7C00u : result;  // 65520 and more
    result |= sign;
    return {static_cast<uint16_t>(magnitude > 0x7F800000u ? kCanonicalNanF16 : result)};
}

constexpr Half round_to_half(double value) {
    const uint64_t raw = std::bit_cast<uint64_t>(value);
    const uint64_t magnitude = raw & 0x7FFFFFFFFFFFFFFFu;
    const uint64_t sign = (raw >> 48) & 0x8000u;
    const uint64_t even = (magnitude >> 42) & 1u;
    const uint64_t normal =
        ((magnitude + 0x1FFFFFFFFFFu + even) >> 42) - (uint64_t{1023 - 15} << 10);
    const uint64_t subnormal = std::bit_cast<uint64_t>(std::bit_cast<double>(magnitude) + 0x1p28) -
                               std::bit_cast<uint64_t>(0x1p28);
    uint64_t result = magnitude < std::bit_cast<uint64_t>(0x1p-14) ? subnormal : normal;
    result = magnitude >= std::bit_cast<uint64_t>(65520.0) ? 0x7C00u : result;
    result |= sign;
    return {static_cast<uint16_t>(magnitude > 0x7FF0000000000000u ? kCanonicalNanF16 : result)};
}

constexpr BFloat16 round_to_bfloat16(float value) {
    const uint32_t raw = std::bit_cast<uint32_t>(value);
    // The carry out of the fraction moves into the exponent, up to infinity.
    const uint32_t rounded = (raw + 0x7FFFu + ((raw >> 16) & 1u)) >> 16;
    return {static_cast<uint16_t>((raw & 0x7FFFFFFFu) > 0x7F800000u ? kCanonicalNanBF16 : rounded)};
}

constexpr BFloat16 round_to_bfloat16(double value) {
    const uint64_t raw = std::bit_cast<uint64_t>(value);
    const uint64_t magnitude = raw & 0x7FFFFFFFFFFFFFFFu;
    const uint64_t sign = (raw >> 48) & 0x8000u;
    const uint64_t even = (magnitude >> 45) & 1u;
    const uint64_t normal =
        ((magnitude + 0xFFFFFFFFFFFu + even) >> 45) - (uint64_t{1023 - 127} << 7);
    // Below 2^-126 the unit is 2^-133, the last place of a double in [2^-81, 2^-80).
    const uint64_t subnormal = std::bit_cast<uint64_t>(std::bit_cast<double>(magnitude) + 0x1p-81) -
                               std::bit_cast<uint64_t>(0x1p-81);
    uint64_t result = magnitude < std::bit_cast<uint64_t>(0x1p-126) ? subnormal : normal;
    result = magnitude >= std::bit_cast<uint64_t>(0x1.FFp127) ? 0x7F80u : result;
    result |= sign;
    return {static_cast<uint16_t>(magnitude > 0x7FF0000000000000u ? kCanonicalNanBF16 : result)};
}

// Rounding to a type named by a template parameter: float, Half or BFloat16.
template <typename Float>
constexpr Float round_to(double value);
template <>
constexpr float round_to<float>(double value) {
    return round_to_float(value);
}
template <>
constexpr Half round_to<Half>(double value) {
    return round_to_half(value);
}
template <>
constexpr BFloat16 round_to<BFloat16>(double value) {
    return round_to_bfloat16(value);
}

template <typename Float>
constexpr Float round_to(float value);
template <>
constexpr float round_to<float>(float value) {
    return canonical(value);
}
template <>
constexpr Half round_to<Half>(float value) {
    return round_to_half(value);
}
template <>
constexpr BFloat16 round_to<BFloat16>(float value) {
    return round_to_bfloat16(value);
}

}  // namespace ptosim
