// The numbers that the kernel ABI gives to element types. Included after the number types are defined:
// they are classes with a compiler for hosts, built-in with clang (cce/language.hpp).
#pragma once

#include "cce/kernel_call.hpp"

namespace pto::ptosim_detail {

#define PTO_DETAIL_ELEMENT(Cpp_, Abi_)                  \
    template <>                                         \
    struct ElementType<Cpp_> {                          \
        static constexpr uint8_t value = PTOSIM_##Abi_; \
    };
PTO_DETAIL_ELEMENT(float, F32)
PTO_DETAIL_ELEMENT(half, F16)
PTO_DETAIL_ELEMENT(bfloat16_t, BF16)
PTO_DETAIL_ELEMENT(float8_e4m3_t, E4M3)
PTO_DETAIL_ELEMENT(float8_e5m2_t, E5M2)
PTO_DETAIL_ELEMENT(float8_e8m0_t, E8M0)
PTO_DETAIL_ELEMENT(hifloat8_t, HIF8)
PTO_DETAIL_ELEMENT(float4_e2m1x2_t, E2M1)
PTO_DETAIL_ELEMENT(float4_e1m2x2_t, E1M2)
PTO_DETAIL_ELEMENT(bool, U8)
PTO_DETAIL_ELEMENT(char, I8)
PTO_DETAIL_ELEMENT(signed char, I8)
PTO_DETAIL_ELEMENT(unsigned char, U8)
PTO_DETAIL_ELEMENT(short, I16)
PTO_DETAIL_ELEMENT(unsigned short, U16)
PTO_DETAIL_ELEMENT(int, I32)
PTO_DETAIL_ELEMENT(unsigned, U32)
PTO_DETAIL_ELEMENT(long, I64)
PTO_DETAIL_ELEMENT(unsigned long, U64)
PTO_DETAIL_ELEMENT(long long, I64)
PTO_DETAIL_ELEMENT(unsigned long long, U64)
#undef PTO_DETAIL_ELEMENT

}  // namespace pto::ptosim_detail
