// The device's language for kernels that are compiled with a library's own headers (`ptosim build
// --pto-headers`): qualifiers, number types, flags, registers, intrinsics. clang++ only.
//
// On-chip memories are address spaces, so that scalar code can read and write UB by pointers whose
// values are byte addresses in UB: clang reads address space 256 relative to the segment base GS, which
// is byte 0 of the core's UB while its code runs (sim/native/local_memory.h). An overlay of the header
// that makes pointers of addresses would need a copy for each release of a library. The other spaces
// only make pointers of different memories different types, as the device's compiler does.
#pragma once

#if __NPU_ARCH__ == 3510
#include "cce/math_names.hpp"
#endif
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <cstdint>
#include <type_traits>

#ifndef __clang__
#error "ptosim: kernels with a library's own headers are compiled by clang++ (--cxx clang++-19)"
#endif

#define PTOSIM_ADDRESS_SPACES
#define __gm__ __ptosim_gm__  // sim/compile/device_words.h
#define __ubuf__ __attribute__((address_space(256)))
#define __cbuf__ __attribute__((address_space(1)))
#define __ca__ __attribute__((address_space(2)))
#define __cb__ __attribute__((address_space(3)))
#define __cc__ __attribute__((address_space(4)))
#define __fbuf__ __attribute__((address_space(5)))
#define __biasbuf__ __attribute__((address_space(6)))
#define __ssbuf__ __attribute__((address_space(8)))

// Assertions of Ascend C's headers: the host part of the checked types lacks the members that they need.
#ifdef PTOSIM_HOST_PASS
#define ASCC_ASCENDC_ASSERT
#define ASCENDC_ASSERT(condition, behavior)
#endif

#ifndef __global__
#define __global__
#endif
// The device's compiler inlines Ascend C's functions at each call (option --cce-ignore-always-inline of bisheng), and
// constants of a call then shorten its code. Scalar code takes time, so kernels here are compiled the same way.
#ifdef PTOSIM_DEVICE_PASS
#define __aicore__ __attribute__((always_inline))
#else
#define __aicore__
#endif
#define __in__
#define __out__
#define __inout__
#define __tf__
#define __cce_get_tile_ptr(pointer) (pointer)
#define __sync_noalias__
#define __sync_alias__
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#define __check_sync_alias__
// Functions of Ascend C by their pipe: sim/compile/rewrite.h handles the scalar unit's.
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __inout_pipe__(pipe) __ptosim_pipe_##pipe
#define __ptosim_pipe_V
#define __ptosim_pipe_M
#define __ptosim_pipe_MTE1
#define __ptosim_pipe_MTE2
#define __ptosim_pipe_MTE3
#define __ptosim_pipe_FIX
#if __NPU_ARCH__ == 3510
#define __simd_vf__ __ptosim_simd_vf__  // sim/compile/ascendc_words.h
#else
#define __simd_vf__
#endif
#define __simd_callee__
#define __simt_callee__ __aicore__
// The library declares max and min of threads for each type, which its compiler has: these are the
// templates of cce/scalar.hpp.
#define __callee__ __attribute__((enable_if(false, "a declaration without a function")))
#define __kfc_workspace__ __ptosim_workspace__  // sim/compile/rewrite.h
#if __NPU_ARCH__ == 3510
#define __BLOCK_LOCAL__  // of inline variables, which are declared extern first; each core has statics of its own
#else
#define __BLOCK_LOCAL__ static thread_local
#endif

#include "cce/number_types.hpp"

#include "cce/element_types.hpp"

#include "cce/scalar.hpp"
#include "cce/local_array.hpp"
#include "cce/tensor_access.hpp"
#include "cce/tensor_bounds.hpp"
#include "cce/tensor_queues.hpp"
#include "cce/reported_accesses.hpp"

#include "cce/enumerations.hpp"

// Names of the device's compiler for its own enumerations.
namespace __cce_scalar {
using ::addr_cal_mode_t;
using ::pad_t;
}  // namespace __cce_scalar

#include "cce/scalar_bits.hpp"

// Registers of vectors, which headers name for each architecture: a2a3 has none.
#ifdef PTO_NPU_ARCH_A2A3
struct vector_bool;
struct vector_align;
struct vector_address;
#endif

// Notes for tools of the vendor: profilers' regions, and its own checks of waits.
namespace bisheng::cce {
inline void metrics_prof_start() {}
inline void metrics_prof_stop() {}
}  // namespace bisheng::cce
#if __NPU_ARCH__ != 3510  // there __asc_aicore has them
inline void asc_prof_start() {}
inline void asc_prof_stop() {}
#endif
template <class... Arguments_>
void __sync_all_stub(const Arguments_&...) {}
template <class... Arguments_>
void __ib_set_stub(const Arguments_&...) {}
template <class... Arguments_>
void __ib_wait_stub(const Arguments_&...) {}
inline int64_t get_pc() { return 0; }

// The workspace of the system, through which cores send each other messages; a kernel's parameter names it. Without one
// it is memory that is not the device's, for kernels which only look whether it is there.
namespace pto::ptosim_detail {
inline uint8_t* system_workspace() {
    static uint8_t none[64];
    return none;
}
inline uint8_t* workspace = nullptr;  // of this core: each has statics of its own
}  // namespace pto::ptosim_detail
inline uint8_t* __get_kfc_workspace_addr() {
    using namespace pto::ptosim_detail;
    return workspace == nullptr ? system_workspace() : workspace;
}
inline void __set_kfc_workspace_addr(uint8_t* address) { pto::ptosim_detail::workspace = address; }

#if defined(__NPU_DEVICE__) && defined(L2_CACHE_HINT)
// Distance of addresses whose transfers bypass L2. The runtime of a device sets it; headers of Ascend C define it as 0.
extern __attribute__((weak)) struct OpSystemRunCfg g_opL2CacheHintCfg;
namespace pto::ptosim_detail {
__attribute__((constructor)) inline void set_l2_distance() {
    if (&g_opL2CacheHintCfg != nullptr) *reinterpret_cast<uint64_t*>(&g_opL2CacheHintCfg) = PTOSIM_PAST_L2;
}
}  // namespace pto::ptosim_detail
#endif
#if defined(__NPU_DEVICE__) || defined(__NPU_HOST__)
// Hosts get std::transform from <functional> of the device compiler's C++ library.
#include <algorithm>

#include "cce/kernel_texts.hpp"
#endif
#ifdef PTO_NPU_ARCH_A2A3
#include "cce/packed_intrinsics.hpp"
#else
#include "cce/c310_intrinsics.hpp"
#include "cce/vector_registers.hpp"
#if defined(__NPU_DEVICE__) || defined(__NPU_HOST__)
#include "cce/ascendc_c310.hpp"
#endif
#endif
#include "cce/refused.hpp"
#include "cce/unsupported.hpp"
#ifdef PTO_NPU_ARCH_A5
#include "cce/simt.hpp"
#endif
