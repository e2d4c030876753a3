// The device's language for kernels that are compiled with a library's own headers (`ptosim build
// --pto-headers`): qualifiers, number types, flags, registers, intrinsics. clang++ only.
//
// On-chip memories are address spaces, so that scalar code can read and write UB by pointers whose
// values are byte addresses in UB: clang reads address space 256 relative to the segment base GS, which
// is byte 0 of the core's UB while its code runs (sim/native/local_memory.h). An overlay of the header
// that makes pointers of addresses would need a copy for each release of a library. The other spaces
// only make pointers of different memories different types, as the device's compiler does.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <cstdint>
#include <type_traits>

#ifndef __clang__
#error "ptosim: kernels with a library's own headers are compiled by clang++ (--cxx clang++-19)"
#endif

#define PTOSIM_ADDRESS_SPACES
#define __gm__ __ptosim_gm__  // sim/native/device_words.h
#define __ubuf__ __attribute__((address_space(256)))
#define __cbuf__ __attribute__((address_space(1)))
#define __ca__ __attribute__((address_space(2)))
#define __cb__ __attribute__((address_space(3)))
#define __cc__ __attribute__((address_space(4)))
#define __fbuf__ __attribute__((address_space(5)))
#define __biasbuf__ __attribute__((address_space(6)))
#define __ssbuf__ __attribute__((address_space(8)))

#ifndef __global__
#define __global__
#endif
#define __aicore__
#define __in__
#define __out__
#define __inout__
#define __tf__
#define __cce_get_tile_ptr(pointer) (pointer)
#define __sync_noalias__
#define __sync_alias__
#define __kfc_workspace__
#define __BLOCK_LOCAL__ static thread_local

// ---- numbers --------------------------------------------------------------------------------------
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
// Rounded to odd first, so that the second rounding sees what the first one has cut off.
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

#include "cce/element_types.hpp"

#include "cce/scalar.hpp"

#include "cce/enumerations.hpp"

// Names of the device's compiler for its own enumerations.
namespace __cce_scalar {
using ::addr_cal_mode_t;
using ::pad_t;
}  // namespace __cce_scalar

inline uint64_t get_imm(uint64_t value) { return value; }

#ifdef PTO_NPU_ARCH_A2A3
#include "cce/packed_intrinsics.hpp"
#else
#include "cce/c310_intrinsics.hpp"
#include "cce/vector_registers.hpp"
#endif
#include "cce/unsupported.hpp"
#ifdef PTO_NPU_ARCH_A5
#include "cce/simt.hpp"
#endif
