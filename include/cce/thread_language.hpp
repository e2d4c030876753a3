// The device's language for kernels whose code describes one thread (`ptosim build --enable-simt`). There is one kind of
// pointers; arrays in UB are found by their word (sim/compile/thread_arrays.h). clang++ only.
#pragma once

#include "cce/math_names.hpp"
#include <ctime>
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

// Rounding and saturation by the names of the device's compiler, with the numbers of PTOSIM_ATTR_ROUND.
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

#include "cce/thread_halves.hpp"

// ---- memories --------------------------------------------------------------------------------
template <class T_>
PTO_DETAIL_OF_THREAD void dcci(T_*, int) {}

PTO_DETAIL_OF_THREAD unsigned __isUbuf(const void* pointer) { return ptosim_memory_of(pointer) == PTOSIM_POINTS_TO_UB; }
PTO_DETAIL_OF_THREAD unsigned __isLocal(const void* pointer) {
    return ptosim_memory_of(pointer) == PTOSIM_POINTS_TO_STACK;
}
PTO_DETAIL_OF_THREAD unsigned __isGlobal(const void* pointer) { return __isUbuf(pointer) == 0 && __isLocal(pointer) == 0; }
PTO_DETAIL_OF_THREAD size_t __cvta_generic_to_global(const void* pointer) { return reinterpret_cast<size_t>(pointer); }
PTO_DETAIL_OF_THREAD size_t __cvta_generic_to_local(const void* pointer) { return reinterpret_cast<size_t>(pointer); }
PTO_DETAIL_OF_THREAD size_t __cvta_generic_to_ubuf(const void* pointer) {
    return static_cast<size_t>(static_cast<const char*>(pointer) - static_cast<const char*>(ptosim_dynamic_array()));
}
PTO_DETAIL_OF_THREAD void* __cvta_global_to_generic(size_t bits) { return reinterpret_cast<void*>(bits); }
PTO_DETAIL_OF_THREAD void* __cvta_local_to_generic(size_t bits) { return reinterpret_cast<void*>(bits); }
PTO_DETAIL_OF_THREAD void* __cvta_ubuf_to_generic(size_t bits) { return static_cast<char*>(ptosim_dynamic_array()) + bits; }

// ---- printing, stops, time ---------------------------------------------------------------------
namespace pto::ptosim_detail {
inline uint64_t host_clock() { return static_cast<uint64_t>(::clock()); }
}  // namespace pto::ptosim_detail
// The library's function has the name of the C library's.
#define clock ptosim_clock
namespace __asc_simt_vf {
inline uint64_t clock(void) {
#ifdef PTOSIM_HOST_PASS
    return ::pto::ptosim_detail::host_clock();
#else
    return ptosim_thread_clock();
#endif
}
template <class... Arguments_>
static __attribute__((noinline)) void printf(const char* format, Arguments_&&... arguments) {
#if defined(PTOSIM_HOST_PASS)
    ::printf(format, ::pto::ptosim_detail::thread_printed(arguments)...);
#elif !defined(ASCENDC_DUMP) || ASCENDC_DUMP != 0
    ::pto::ptosim_detail::thread_print(format, arguments...);
#endif
}
inline void __trap() { ptosim_thread_stop("trap()", nullptr, 0); }
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
// The device's compiler finds functions of threads in this namespace without its name.
using namespace __asc_simt_vf;
namespace std {
using __asc_simt_vf::clock;
}
#ifdef PTOSIM_DEVICE_PASS
// The linker puts it for printf.
extern "C" __attribute__((used, weak, visibility("hidden"))) int __wrap_printf(const char* format, ...) {
    ::pto::ptosim_detail::thread_print("%s", format);  // with arguments the function above is the better match
    return 0;
}
#endif
