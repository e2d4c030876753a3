// The chip generation and the core type that a translation unit is compiled for.
//
// `ptosim build` defines __NPU_ARCH__ and one of __DAV_CUBE__ and __DAV_VEC__; so does a compiler
// for the device (hw-native-sys/pto-isa include/pto/common/arch_macro.hpp has the numbers). A
// compiler that is given neither checks both halves of a kernel at once, for a2a3. The host's pass has
// neither, as the device's compiler has it: both halves may define a type of one name.
#pragma once

#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif

#if __NPU_ARCH__ == 2201
#define PTO_NPU_ARCH_A2A3
#elif __NPU_ARCH__ == 3101 || __NPU_ARCH__ == 3510
#define PTO_NPU_ARCH_A5
#else
#error "ptosim: __NPU_ARCH__ is 2201 (a2a3), 3101 or 3510 (a5); no other architecture is supported"
#endif

#if !defined(__DAV_CUBE__) && !defined(__DAV_VEC__) && !defined(PTOSIM_HOST_PASS)
#define __DAV_CUBE__
#define __DAV_VEC__
#endif

#ifndef __CCE_AICORE__
#ifdef PTO_NPU_ARCH_A2A3
#define __CCE_AICORE__ 220
#else
#define __CCE_AICORE__ 310
#endif
#endif

#ifdef PTO_NPU_ARCH_A2A3
#if defined(__DAV_CUBE__) && !defined(__DAV_C220_CUBE__)
#define __DAV_C220_CUBE__
#endif
#if defined(__DAV_VEC__) && !defined(__DAV_C220_VEC__)
#define __DAV_C220_VEC__
#endif
#else
#if defined(__DAV_CUBE__) && !defined(__DAV_C310_CUBE__)
#define __DAV_C310_CUBE__
#endif
#if defined(__DAV_VEC__) && !defined(__DAV_C310_VEC__)
#define __DAV_C310_VEC__
#endif
#endif
