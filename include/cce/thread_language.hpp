// The device's language for kernels whose code is that of one thread (`ptosim build --enable-simt`). There is one kind of
// pointers; arrays in UB are found by their word (sim/compile/thread_arrays.h). clang++ only.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <type_traits>

#include "cce/arch.hpp"
#include "cce/number_types.hpp"
#include "cce/element_types.hpp"
#include "cce/reported_accesses.hpp"

#define PTOSIM_THREADS
#define __gm__
#define __ubuf__ __ptosim_ubuf__
#ifdef PTOSIM_DEVICE_PASS
#define __aicore__ __attribute__((always_inline))
#else
#define __aicore__
#endif
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#define __simt_vf__
#define __simt_callee__ __aicore__
#define __simd_callee__
#define __callee__

// Rounding and saturation by the names of the device's compiler; the numbers are those of PTOSIM_ATTR_ROUND.
enum class ROUND : uint8_t {
    CAST_RINT = 1,
    CAST_ROUND = 2,
    CAST_FLOOR = 3,
    CAST_CEIL = 4,
    CAST_TRUNC = 5,
    CAST_ODD = 6,
    CAST_HYBRID = 7,
    R = CAST_RINT,
    A = CAST_ROUND,
    F = CAST_FLOOR,
    C = CAST_CEIL,
    Z = CAST_TRUNC,
    O = CAST_ODD,
    H = CAST_HYBRID
};
enum class RoundingSaturation : uint8_t { RS_DISABLE_VALUE = 0, RS_ENABLE_VALUE = 1 };
namespace pto::ptosim_detail {
constexpr bool saturates(RoundingSaturation mode) { return mode == RoundingSaturation::RS_ENABLE_VALUE; }
}
#define PTO_DETAIL_SATURATION RoundingSaturation

#include "cce/threads.hpp"

// ---- memories --------------------------------------------------------------------------------
template <class T_>
PTO_DETAIL_OF_THREAD void dcci(T_*, int) {}

PTO_DETAIL_OF_THREAD unsigned __isUbuf(const void* pointer) {
    return static_cast<size_t>(static_cast<const char*>(pointer) - static_cast<const char*>(ptosim_dynamic_array())) <
                   PTOSIM_UB_END / 4
               ? 1
               : 0;
}

// ---- printing, stops, time ---------------------------------------------------------------------
namespace __asc_simt_vf {
template <class... Arguments_>
static __attribute__((noinline)) void printf(const char* format, Arguments_&&... arguments) {
#if !defined(ASCENDC_DUMP) || ASCENDC_DUMP != 0
    ::pto::ptosim_detail::thread_print(format, arguments...);
#endif
}
inline void __trap() { ptosim_thread_stop("trap()", nullptr, 0); }
inline uint64_t clock() { return ptosim_thread_clock(); }
template <class... Arguments_>
void __assert_fail_msg(const char* assertion, const char* file, unsigned line, const char*, const char* format,
                       Arguments_&&... arguments) {
    ::pto::ptosim_detail::thread_print(format, arguments...);
    ::pto::ptosim_detail::thread_print("\n");
    char text[512];
    snprintf(text, sizeof text, "its assertion '%s' has failed", assertion);
    ptosim_thread_stop(text, file, line);
}
}  // namespace __asc_simt_vf
// The device's compiler finds functions of threads in this namespace without its name. Hosts keep the C library's.
#ifdef PTOSIM_DEVICE_PASS
using namespace __asc_simt_vf;
// A text without arguments matches the C library's function better.
extern "C" __attribute__((used, weak, visibility("hidden"))) int __wrap_printf(const char* format, ...) {
    ::pto::ptosim_detail::thread_print("%s", format);
    return 0;
}
#else
using __asc_simt_vf::__assert_fail_msg;
#endif
