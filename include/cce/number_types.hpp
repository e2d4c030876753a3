// The device's number types, with clang++.
#pragma once

#include <stdint.h>

using half = _Float16;
using bfloat16_t = __bf16;
using float16_t = half;
#define __fp16 half
using float32_t = float;

// Formats that scalar code only copies: enumerations, as these can be copied within any address space.
enum class float8_e4m3_t : uint8_t {};
enum class float8_e5m2_t : uint8_t {};
enum class float8_e8m0_t : uint8_t {};
enum class hifloat8_t : uint8_t {};
enum class float4_e2m1x2_t : uint8_t {};
enum class float4_e1m2x2_t : uint8_t {};

// The compiler calls these where it rounds to bf16; libgcc has them from release 13 on.
#ifdef __x86_64__
extern "C" __attribute__((weak, used, visibility("hidden"))) __bf16 __truncsfbf2(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const bool nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
    const uint32_t rounded = nan ? bits | 0x400000u : bits + 0x7FFFu + (bits >> 16 & 1);
    return __builtin_bit_cast(__bf16, static_cast<uint16_t>(rounded >> 16));
}
// Rounds to odd first, so that the second rounding sees the bits that the first has cut off.
extern "C" __attribute__((weak, used, visibility("hidden"))) __bf16 __truncdfbf2(double value) {
    const float near = static_cast<float>(value);
    uint32_t bits = __builtin_bit_cast(uint32_t, near);
    if (static_cast<double>(near) != value && value == value) {
        const bool outward = __builtin_fabs(static_cast<double>(near)) > __builtin_fabs(value);
        bits = (outward ? bits - 1 : bits) | 1;
    }
    return __truncsfbf2(__builtin_bit_cast(float, bits));
}
#endif
